import type { SubscriptionRef } from '@callboard/core'
import { callboard } from '../start/callboard.ts'

// #region person
/** Everything that is stored of one person's, in both modes. */
export async function forget(personId: string): Promise<number> {
  const { events } = await callboard.erasure.person({ account: 'acc_1', personId })
  return events
}
// #endregion

// #region horizon
/** All personal data older than 14 days, of every account. */
export async function forgetOld(): Promise<void> {
  await callboard.erasure.before({ horizon: new Date(Date.now() - 14 * 86_400_000) })
}
// #endregion

// #region resend
/** After an outage of a target: sends again what was given up since. */
export async function resendSince(subscriptionId: string, from: Date): Promise<number> {
  const ref = { accountId: 'acc_1', mode: 'live', id: subscriptionId } as const
  let [resent, cursor] = [0, null as string | null]
  do {
    const step = await callboard.deliveries.resendRange(ref, { from, cursor: cursor ?? undefined })
    resent += step.resent
    cursor = step.nextCursor
  } while (cursor !== null)
  return resent
}
// #endregion

// #region rewrap
/** With a new current key in the ring: seals every signing secret under it. Gives whether the former key can go. */
export async function leaveFormerKey(): Promise<boolean> {
  let [unopened, after] = [0, undefined as SubscriptionRef | undefined]
  do {
    const step = await callboard.subscriptions.rewrapSecrets({ after })
    unopened += step.unopened
    after = step.next
  } while (after !== undefined)
  return unopened === 0
}
// #endregion
