import { type EventText, idFromUuid } from '@callboard/core/store'
import type { EventPageRow } from './event-page.ts'

/** The lines of a column that has one line per row; none for null. */
export function linesOf(text: string | null | undefined): string[] {
  return text === null || text === undefined ? [] : text.split('\n')
}

/** The texts of the events in a row. */
export function textsOf(row: Omit<EventPageRow, 'occurred'> | undefined): EventText[] {
  const ids = linesOf(row?.ids)
  const types = linesOf(row?.types)
  const bodies = linesOf(row?.bodies)
  const patches = linesOf(row?.patches)
  const fingerprints = linesOf(row?.fingerprints)
  // Each column has one line per event. A line break within an event's text would shift the lines of all later events.
  if (bodies.length !== ids.length || (patches.length !== ids.length && patches.length > 0))
    throw new Error('a page does not have one line for each event')
  return ids.map((id, index) => ({
    id: idFromUuid('evt', id),
    type: types[index] ?? '',
    body: bodies[index] ?? '',
    patch: patches[index] || null,
    fingerprint: fingerprints[index] ?? '',
  }))
}
