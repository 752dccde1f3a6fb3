import type { Answer } from '../../answer.ts'
import type { Call } from '../../call.ts'
import { inWords } from '../issue-words.ts'
import { issueWords } from './subscription-form.ts'

/** Checks a target while the viewer types it. Nothing is sent to the target. */
export async function checkTarget(call: Call): Promise<Answer> {
  const issue = call.callboard.subscriptions.checkTarget({ targetUrl: (await call.form()).get('targetUrl')?.trim() })
  const { targetUsable, targetUnusable } = call.texts.subscriptionForm
  if (issue === undefined) return { json: { ok: true, message: targetUsable } }
  const [said] = inWords(call, [issue], issueWords(call))
  return { json: { ok: false, message: said?.message ?? targetUnusable } }
}
