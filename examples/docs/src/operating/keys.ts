import { callboard } from '../start/callboard.ts'

// #region issue
export async function issue(): Promise<string> {
  const { id, token } = await callboard.keys.issue({
    accountId: 'acc_1',
    name: 'Zapier',
    scopes: ['webhooks.read', 'webhooks.write', 'people.read'],
    expiresAt: new Date(Date.now() + 365 * 86_400_000), // left out: it does not expire
  })
  await showOnce(token) // nobody can read it again
  return id
}
// #endregion

async function showOnce(_token: string): Promise<void> {}

// #region change
/** Planned: the old key goes on for 24 hours, its subscriptions are the new key's at once. */
export async function rotate(keyId: string): Promise<string> {
  const { token } = await callboard.keys.rotate('acc_1', keyId)
  return token
}

/** Leaked: ends with the next request, and what it subscribed is held. */
export async function revoke(keyId: string): Promise<void> {
  await callboard.keys.revoke('acc_1', keyId)
}
// #endregion
