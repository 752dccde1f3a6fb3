import type { Call } from '../call.ts'

/**
 * A relative link to the current page with changed query parameters. A parameter whose value is undefined is removed.
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
