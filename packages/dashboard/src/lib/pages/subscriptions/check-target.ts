import type { Answer } from '../../answer.ts'
import type { Call } from '../../call.ts'
import { inWords } from '../issue-words.ts'
import { SUBSCRIPTION_WORDS } from './subscription-form.ts'

/** Checks a target while the viewer types it. Nothing is sent to the target. */
export async function checkTarget(call: Call): Promise<Answer> {
  const issue = call.callboard.subscriptions.checkTarget((await call.form()).get('targetUrl')?.trim())
  if (issue === undefined) return { json: { ok: true } }
  return { json: { ok: false, message: inWords([issue], SUBSCRIPTION_WORDS)[0]?.message } }
}
