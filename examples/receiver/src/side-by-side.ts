import type { CallboardEvent } from '@callboard/signature/request'

/** At most this many events are remembered while they wait for their delivery in the other format version. */
const REMEMBERED = 100

/**
 * Creates a function that is called with each delivery. Once an event has arrived in two format versions, it returns
 * two lines: the fields that only the one version has, and those that only the other has.
 */
export function createSideBySide(): (event: CallboardEvent) => string[] {
  const waiting = new Map<string, CallboardEvent>()
  return (event) => {
    const other = waiting.get(event.id)
    if (other === undefined || other.version === event.version) {
      waiting.set(event.id, event)
      const [oldest] = waiting.keys()
      if (waiting.size > REMEMBERED && oldest !== undefined) waiting.delete(oldest)
      return []
    }
    waiting.delete(event.id)
    const [newer, older] = [event, other].sort((a, b) => (a.version < b.version ? 1 : -1))
    return newer === undefined || older === undefined ? [] : [lineOf(newer, older), lineOf(older, newer)]
  }
}

function lineOf(event: CallboardEvent, other: CallboardEvent): string {
  const others = new Set(fieldsOf(other.data))
  const own = [...new Set(fieldsOf(event.data))].filter((field) => !others.has(field))
  return `  only in ${event.version}: ${own.join(', ') || 'nothing'}`
}

/** The paths of all values. The values themselves are left out, because they can be personal data. */
function fieldsOf(value: unknown, path = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => fieldsOf(item, path))
  if (typeof value !== 'object' || value === null) return [path]
  return Object.entries(value).flatMap(([key, inner]) => fieldsOf(inner, path === '' ? key : `${path}.${key}`))
}
