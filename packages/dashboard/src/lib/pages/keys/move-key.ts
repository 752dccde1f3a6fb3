import type { Answer } from '../../answer.ts'
import type { Call } from '../../call.ts'
import { chosenVersion } from '../format-version.ts'
import { askedKey } from './asked-key.ts'

/** Pins a key to another format version and redirects the viewer to the key's page. */
export async function moveKey(call: Call): Promise<Answer> {
  const form = await call.form()
  const { id, apiVersion } = await askedKey(call)
  await call.callboard.keys.setApiVersion({
    accountId: call.accountId,
    id,
    apiVersion: chosenVersion(form) ?? apiVersion,
  })
  return { redirect: call.href(`/keys/${id}`, { done: 'moved' }) }
}
