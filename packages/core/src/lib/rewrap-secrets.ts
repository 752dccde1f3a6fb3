import { assertAccountId } from './accounts.ts'
import { assertSteps } from './maintenance-steps.ts'
import type { SubscriptionRef, SubscriptionStore } from './ports/subscription-store.ts'
import type { SecretBox } from './secret-box.ts'

/** Subscriptions read at once. */
const STEP = 100

export interface RewrapOptions {
  /** Subscriptions looked at in this call, at most; all of them by default. */
  readonly limit?: number | undefined
  /** The `next` of an earlier call. */
  readonly after?: SubscriptionRef | undefined
}

export interface RewrapReport {
  /** Secrets that are sealed under the current key now and were not before. */
  readonly rewrapped: number
  /** Secrets that did not open and stay as they are; `onError` was told why. The key they need must stay in the ring, or they be rotated. */
  readonly unopened: number
  /** Where the next call goes on; undefined: every subscription has been looked at. */
  readonly next: SubscriptionRef | undefined
}

interface Rewrapping {
  readonly store: Pick<SubscriptionStore, 'sealedSecrets' | 'replaceSealed'>
  readonly secretBox: SecretBox
  readonly onError: (error: unknown) => void
}

/**
 * No lock is held while secrets are opened and sealed: each is put in the place of what was read, if that is still there. One
 * that is not was rotated meanwhile, under the current key.
 */
export async function rewrapSecrets(
  { store, secretBox, onError }: Rewrapping,
  { limit = Number.MAX_SAFE_INTEGER, after }: RewrapOptions = {},
): Promise<RewrapReport> {
  assertSteps({ limit })
  if (after !== undefined) assertAccountId('after.accountId', after.accountId)
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
    if (await store.replaceSealed(ref, sealed, await secretBox.seal(ref.id, secret))) rewrapped++
  }

  let next = after
  for (let left = limit; left > 0; ) {
    const asked = Math.min(left, STEP)
    const found = await store.sealedSecrets(next, asked)
    for (const { ref, sealed } of found)
      for (const text of sealed) if (!secretBox.isCurrent(text)) await rewrap(ref, text)
    if (found.length < asked) return { rewrapped, unopened, next: undefined }
    next = found.at(-1)?.ref
    left -= asked
  }
  return { rewrapped, unopened, next }
}
