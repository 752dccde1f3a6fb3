import type { Call } from '../call.ts'

/**
 * A relative link to the current page with changed query parameters. A parameter whose new value is undefined or empty
 * is removed. `done` is always removed, so that the link does not repeat a notice.
 */
export function pageQuery(call: Call, changes: Readonly<Record<string, string | undefined>>): string {
  const query = new URLSearchParams(call.query)
  query.delete('done')
  for (const [name, value] of Object.entries(changes)) {
    query.delete(name)
    if (value !== undefined && value !== '') query.set(name, value)
  }
  return `?${query}`
}
