import { assertChoice } from '../validation.ts'
import { assertAccountId } from './accounts.ts'
import { MODES, type Mode } from './mode.ts'

/** An account in one of its modes, which together own keys, events and subscriptions. */
export interface Owner {
  readonly accountId: string
  /** `live` by default. */
  readonly mode?: Mode | undefined
}

/** A subscription or an event of an account. */
export interface OwnedRef extends Owner {
  readonly id: string
}

/**
 * Checks an owner and fills in the default mode.
 *
 * @throws CallboardError `VALIDATION_FAILED` for an invalid account id or mode.
 */
export function readOwner({ accountId, mode = 'live' }: Owner): { readonly accountId: string; readonly mode: Mode } {
  assertAccountId('accountId', accountId)
  assertChoice('mode', mode, MODES)
  return { accountId, mode }
}

/** {@link readOwner} for a subscription or an event. Leaves the check of its id to the store. */
export function readRef(ref: OwnedRef): {
  readonly accountId: string
  readonly mode: Mode
  readonly id: string
} {
  return { ...readOwner(ref), id: ref.id }
}
