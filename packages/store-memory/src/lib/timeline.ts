import type { EventPosition, StoredEvent } from '@callboard/core/store'

interface Dated {
  readonly stored: StoredEvent
}

/**
 * The events that `GET /v1/events` reads, oldest first. Inserting an event is cheap, because most events belong at the
 * end. Reading a page takes a binary search and one step per event.
 */
export interface Timeline<Event extends Dated> {
  insert(event: Event): void
  remove(event: Event): void
  /** The events before the position, newest first. */
  before(position: EventPosition | undefined): Iterable<Event>
}

export function createTimeline<Event extends Dated>(): Timeline<Event> {
  const events: Event[] = []

  /** Counts the events before the position. */
  const countBefore = (position: EventPosition): number => {
    let low = 0
    let high = events.length
    while (low < high) {
      const middle = (low + high) >>> 1
      const event = events[middle]
      if (event !== undefined && isBefore(event, position)) low = middle + 1
      else high = middle
    }
    return low
  }

  return {
    insert(event) {
      const position = positionOf(event)
      const last = events.at(-1)
      if (last === undefined || isBefore(last, position)) events.push(event)
      else events.splice(countBefore(position), 0, event)
    },
    remove(event) {
      events.splice(countBefore(positionOf(event)), 1)
    },
    *before(position) {
      for (let index = (position === undefined ? events.length : countBefore(position)) - 1; index >= 0; index--) {
        const event = events[index]
        if (event !== undefined) yield event
      }
    },
  }
}

function positionOf({ stored }: Dated): EventPosition {
  return { occurredAt: stored.occurredAt.getTime(), id: stored.id }
}

function isBefore({ stored }: Dated, { occurredAt, id }: EventPosition): boolean {
  const time = stored.occurredAt.getTime()
  return time < occurredAt || (time === occurredAt && stored.id < id)
}
