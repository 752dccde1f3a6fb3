import type { Issue, IssueCode } from '@callboard/core'

/** The answer to a form that no page of the dashboard posts. */
export const UNREADABLE_FORM = 'The form could not be read. Load the page again.'

/** A form's own words by field: for each code, or for whatever is wrong with it. */
export type IssueWords = Readonly<Record<string, string | Readonly<Partial<Record<IssueCode, string>>>>>

/**
 * Puts core's issues into the words of a form, whose fields have other names. The words are found by path and code, never by the
 * message, which stays where the form has none of its own. List entries that are wrong alike become one issue.
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
