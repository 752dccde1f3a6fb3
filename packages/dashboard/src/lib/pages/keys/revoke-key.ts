import type { Answer } from '../../answer.ts'
import type { Call } from '../../call.ts'
import { askedKey } from './asked-key.ts'

/** Revokes a key and redirects the viewer to the key's page. Revoking it again changes nothing. */
export async function revokeKey(call: Call): Promise<Answer> {
  const { id } = await askedKey(call)
  await call.callboard.keys.revoke({ accountId: call.accountId, id })
  return { redirect: call.href(`/keys/${id}`, { done: 'revoked' }) }
}
