import type { Answer } from '../../answer.ts'
import type { Call } from '../../call.ts'
import { targetInWords } from './subscription-form.ts'

/** Says, while somebody types, whether an address would be taken. Nothing is sent there. */
export async function checkTarget(call: Call): Promise<Answer> {
  const issue = call.callboard.subscriptions.own.checkTarget((await call.form()).get('targetUrl')?.trim())
  return { json: issue === undefined ? { ok: true } : { ok: false, message: targetInWords(issue.message) } }
}
