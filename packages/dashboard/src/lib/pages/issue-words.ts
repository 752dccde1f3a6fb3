import type { Issue } from '@callboard/core'
import type { Call } from '../call.ts'

/** A form's own messages, by field. A field has one message for each issue code, or one message for all codes. */
export type IssueWords = Readonly<Record<string, string | Readonly<Partial<Record<Issue['code'], string>>>>>

/**
 * Replaces core's messages with the form's own, because core's are in English and use the API's names for fields. If
 * several entries of a list get the same message, only one of their issues remains.
 */
export function inWords({ texts }: Pick<Call, 'texts'>, issues: readonly Issue[], words: IssueWords): Issue[] {
  const said = new Map<string, Issue>()
  for (const issue of issues) {
    const [field = ''] = issue.path.split('.')
    const own = words[field]
    const message = (typeof own === 'string' ? own : own?.[issue.code]) ?? texts.problems.otherIssue(issue)
    said.set(`${field} ${message}`, { ...issue, message })
  }
  return [...said.values()]
}
