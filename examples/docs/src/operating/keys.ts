import { callboard } from '../start/callboard.ts'

// #region issue
export async function issue(): Promise<string> {
  const { id, token } = await callboard.keys.issue({
    accountId: 'acc_1',
    name: 'Zapier',
    scopes: ['webhooks.read', 'webhooks.write', 'people.read'],
    expiresAt: new Date(Date.now() + 365 * 86_400_000), // optional: keys do not expire by default
  })
  await showOnce(token) // it cannot be read again
  return id
}
// #endregion

async function showOnce(_token: string): Promise<void> {}

// #region change
/** Planned rotation: the old key stays valid for 24 hours, and its subscriptions move to the new key at once. */
export async function rotate(keyId: string): Promise<string> {
  const { token } = await callboard.keys.rotate({ accountId: 'acc_1', id: keyId })
  return token
}

/** For a leaked key: it stops working at once, and its subscriptions are disabled. */
export async function revoke(keyId: string): Promise<void> {
  await callboard.keys.revoke({ accountId: 'acc_1', id: keyId })
}
// #endregion
