import type { Answer } from '../../answer.ts'
import type { Call } from '../../call.ts'
import { inWords } from '../issue-words.ts'
import { SUBSCRIPTION_WORDS } from './subscription-form.ts'

/** Says, while somebody types, whether an address would be taken. Nothing is sent there. */
export async function checkTarget(call: Call): Promise<Answer> {
  const issue = call.callboard.subscriptions.checkTarget((await call.form()).get('targetUrl')?.trim())
  if (issue === undefined) return { json: { ok: true } }
  return { json: { ok: false, message: inWords([issue], SUBSCRIPTION_WORDS)[0]?.message } }
}
