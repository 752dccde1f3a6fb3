import { callboard } from '../start/callboard.ts'

// #region person
/** Erases one person's data from all stored events, in both modes. Returns whether all of it is gone. */
export async function erasePerson(personId: string): Promise<boolean> {
  const report = await callboard.erasure.person({ accountId: 'acc_1', personId })
  return report.openTransactions === 0 && report.unattributed.length === 0
}
// #endregion

// #region horizon
/** Erases all personal data older than 14 days, in every account. */
export async function eraseOld(): Promise<void> {
  await callboard.erasure.before({ horizon: new Date(Date.now() - 14 * 86_400_000) })
}
// #endregion

// #region resend
/** After an outage of a target: resends everything published since `from` that has not arrived. */
export async function resendSince(subscriptionId: string, from: Date): Promise<number> {
  let [resent, cursor] = [0, null as string | null]
  do {
    const step = await callboard.deliveries.resendRange({ accountId: 'acc_1', subscriptionId, from, cursor })
    resent += step.resent
    cursor = step.nextCursor
  } while (cursor !== null)
  return resent
}
// #endregion

// #region rewrap
/** Seals every signing secret under the ring's current key. Returns whether the old key can leave the ring. */
export async function retireOldKey(): Promise<boolean> {
  let [unopened, cursor] = [0, null as string | null]
  do {
    const step = await callboard.subscriptions.rewrapSecrets({ cursor })
    unopened += step.unopened
    cursor = step.nextCursor
  } while (cursor !== null)
  return unopened === 0
}
// #endregion

// #region audit
/** Revokes a key on behalf of a member of your support team. The audit trail names that member. */
export async function revokeKey(accountId: string, keyId: string, supporter: string): Promise<void> {
  await callboard.as({ type: 'operator', id: supporter }).keys.revoke({ accountId, id: keyId })
}
// #endregion
