import type { EventPlace, StoredEvent } from '@callboard/core/store'

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
  /** The events before the place, newest first. */
  before(place: EventPlace | undefined): Iterable<Event>
}

export function createTimeline<Event extends Dated>(): Timeline<Event> {
  const events: Event[] = []

  /** Counts the events before the place. */
  const countBefore = (place: EventPlace): number => {
    let low = 0
    let high = events.length
    while (low < high) {
      const middle = (low + high) >>> 1
      const event = events[middle]
      if (event !== undefined && isBefore(event, place)) low = middle + 1
      else high = middle
    }
    return low
  }

  return {
    insert(event) {
      const place = placeOf(event)
      const last = events.at(-1)
      if (last === undefined || isBefore(last, place)) events.push(event)
      else events.splice(countBefore(place), 0, event)
    },
    remove(event) {
      events.splice(countBefore(placeOf(event)), 1)
    },
    *before(place) {
      for (let index = (place === undefined ? events.length : countBefore(place)) - 1; index >= 0; index--) {
        const event = events[index]
        if (event !== undefined) yield event
      }
    },
  }
}

function placeOf({ stored }: Dated): EventPlace {
  return { occurredAt: stored.occurredAt.getTime(), id: stored.id }
}

function isBefore({ stored }: Dated, { occurredAt, id }: EventPlace): boolean {
  const time = stored.occurredAt.getTime()
  return time < occurredAt || (time === occurredAt && stored.id < id)
}
