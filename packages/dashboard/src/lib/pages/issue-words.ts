import type { Issue, IssueCode } from '@callboard/core'

/** The message for a form that no page of the dashboard posts. */
export const UNREADABLE_FORM = 'The form could not be read. Reload the page and try again.'

/** A form's own messages by field: one for each issue code, or one for all of them. */
export type IssueWords = Readonly<Record<string, string | Readonly<Partial<Record<IssueCode, string>>>>>

/**
 * Replaces core's messages by those of a form, whose fields have other labels. Messages are chosen by path and code;
 * core's message stays where the form has none. Entries of a list with the same message become one issue.
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
