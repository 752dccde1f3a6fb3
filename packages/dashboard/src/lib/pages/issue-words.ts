import type { Issue, IssueCode } from '@callboard/core'

/** The message for a form that does not come from a page of the dashboard. */
export const UNREADABLE_FORM = 'The form could not be read. Reload the page and try again.'

/** A form's own messages, by field. A field has one message for each issue code, or one message for all codes. */
export type IssueWords = Readonly<Record<string, string | Readonly<Partial<Record<IssueCode, string>>>>>

/**
 * Replaces core's messages with the form's own, because the form labels its fields differently. The form's message is
 * selected by the issue's path and code. If the form has no message for an issue, core's message is kept. If several
 * entries of a list have the same message, only one of their issues remains.
 */
export function inWords(issues: readonly Issue[], words: IssueWords): Issue[] {
  const said = new Map<string, Issue>()
  for (const issue of issues) {
    const [field = ''] = issue.path.split('.')
    const own = words[field]
    const message = (typeof own === 'string' ? own : own?.[issue.code]) ?? issue.message
    said.set(`${field} ${message}`, { ...issue, message })
  }
  return [...said.values()]
}
