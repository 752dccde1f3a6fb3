import * as z from 'zod'
import { MODES } from '../accounts/mode.ts'
import { decodeBase64Url, encodeBase64Url } from '../encoding/base64url.ts'
import { assertSteps } from '../maintenance/maintenance-steps.ts'
import type { SubscriptionRef } from '../ports/subscription-record.ts'
import type { SubscriptionStore } from '../ports/subscription-store.ts'
import { validationFailed } from '../validation/validation.ts'
import type { SecretBox } from './secret-box.ts'

/** How many subscriptions are read in one call to the store. */
const STEP = 100

export interface RewrapOptions {
  /** The most subscriptions to examine in this call; all of them by default. */
  readonly limit?: number | undefined
  /** The `nextCursor` of the previous call; null or absent to start with the first subscription. */
  readonly cursor?: string | null | undefined
}

export interface RewrapReport {
  /** Secrets that this call sealed under the current key. */
  readonly rewrapped: number
  /**
   * Secrets that could not be opened and stay as they are; `onError` is called with the reasons. Keep the keys that
   * sealed these secrets, or rotate the secrets.
   */
  readonly unopened: number
  /** Null once every subscription has been examined. */
  readonly nextCursor: string | null
}

interface Rewrapping {
  readonly store: Pick<SubscriptionStore, 'sealedSecrets' | 'replaceSealed'>
  readonly secretBox: SecretBox
  readonly onError: (error: unknown) => void
}

/**
 * Seals secrets again under the current key, without holding a lock. The new sealed form of a secret replaces the old
 * form only if the old form is still stored. Otherwise, the stored secret is already sealed under the current key.
 */
export async function rewrapSecrets(
  { store, secretBox, onError }: Rewrapping,
  { limit = Number.MAX_SAFE_INTEGER, cursor }: RewrapOptions = {},
): Promise<RewrapReport> {
  assertSteps({ limit })
  let rewrapped = 0
  let unopened = 0

  const rewrap = async (ref: SubscriptionRef, sealed: string): Promise<void> => {
    let secret: string
    try {
      secret = await secretBox.open(ref.id, sealed)
    } catch (error) {
      unopened++
      onError(error)
      return
    }
    const { outcome } = await store.replaceSealed(ref, sealed, await secretBox.seal(ref.id, secret))
    if (outcome === 'changed') rewrapped++
  }

  let next = cursor === undefined || cursor === null ? undefined : readRewrapCursor(cursor)
  for (let left = limit; left > 0; ) {
    const asked = Math.min(left, STEP)
    const found = await store.sealedSecrets(next, asked)
    for (const { ref, sealed } of found)
      for (const text of sealed) if (!secretBox.isCurrent(text)) await rewrap(ref, text)
    if (found.length < asked) return { rewrapped, unopened, nextCursor: null }
    next = found.at(-1)?.ref
    left -= asked
  }
  return { rewrapped, unopened, nextCursor: next === undefined ? null : rewrapCursor(next) }
}

/**
 * Encodes the last examined subscription as a cursor. Unlike the cursors that API callers get, this cursor is not
 * authenticated, because only the platform sees it.
 */
function rewrapCursor({ accountId, mode, id }: SubscriptionRef): string {
  return encodeBase64Url(new TextEncoder().encode(JSON.stringify([accountId, mode, id])))
}

const place = z.tuple([z.string(), z.enum(MODES), z.string()])

function readRewrapCursor(cursor: string): SubscriptionRef {
  try {
    const [accountId, mode, id] = place.parse(JSON.parse(new TextDecoder().decode(decodeBase64Url(cursor))))
    return { accountId, mode, id }
  } catch {
    const message = 'cursor must be the nextCursor of an earlier call to rewrapSecrets.'
    throw validationFailed({ path: 'cursor', code: 'FORMAT', message })
  }
}
