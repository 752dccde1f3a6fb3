import { callboard } from '../start/callboard.ts'

// #region person
/** Everything that is stored of one person's, in both modes. */
export async function forget(personId: string): Promise<number> {
  const { events } = await callboard.erasure.person({ accountId: 'acc_1', personId })
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
  const ref = { accountId: 'acc_1', id: subscriptionId }
  let [resent, cursor] = [0, null as string | null]
  do {
    const step = await callboard.deliveries.resendRange(ref, { from, cursor })
    resent += step.resent
    cursor = step.nextCursor
  } while (cursor !== null)
  return resent
}
// #endregion

// #region rewrap
/** With a new current key in the ring: seals every signing secret under it. Gives whether the former key can go. */
export async function leaveFormerKey(): Promise<boolean> {
  let [unopened, cursor] = [0, null as string | null]
  do {
    const step = await callboard.subscriptions.rewrapSecrets({ cursor })
    unopened += step.unopened
    cursor = step.nextCursor
  } while (cursor !== null)
  return unopened === 0
}
// #endregion
