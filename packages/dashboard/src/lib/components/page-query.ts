import type { Call } from '../call.ts'

/** The page that is looked at with other parameters, as a relative link: the rest stays as it is, undefined takes one away. */
export function pageQuery(call: Call, changes: Readonly<Record<string, string | undefined>>): string {
  const query = new URLSearchParams(call.query)
  query.delete('done')
  for (const [name, value] of Object.entries(changes)) {
    query.delete(name)
    if (value !== undefined && value !== '') query.set(name, value)
  }
  return `?${query}`
}
