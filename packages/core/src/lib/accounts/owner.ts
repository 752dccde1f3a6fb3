import { assertChoice } from '../validation.ts'
import { assertAccountId } from './accounts.ts'
import { MODES, type Mode } from './mode.ts'

/** An account in one of its modes: keys, events and subscriptions each belong to one. */
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
 * An owner with its mode filled in.
 *
 * @throws CallboardError `VALIDATION_FAILED` for what cannot be an account's id, or is no mode.
 */
export function readOwner({ accountId, mode = 'live' }: Owner): { readonly accountId: string; readonly mode: Mode } {
  assertAccountId('accountId', accountId)
  assertChoice('mode', mode, MODES)
  return { accountId, mode }
}

/** {@link readOwner} for a subscription or an event; a store judges its id. */
export function readRef(ref: OwnedRef): {
  readonly accountId: string
  readonly mode: Mode
  readonly id: string
} {
  return { ...readOwner(ref), id: ref.id }
}
