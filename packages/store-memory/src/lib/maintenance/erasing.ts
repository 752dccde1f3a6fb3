import {
  type CurrentPaths,
  type ErasableEvent,
  type ErasedEvent,
  type EventKey,
  erasedFingerprint,
  isErased,
  type RequestOf,
  type ResultOf,
} from '@callboard/core/store'
import { type EventState, homesOf, type MemoryState, type ModeState } from '../memory-state.ts'

export function eventsOfPerson(
  state: MemoryState,
  { accountId, mode, personId, personDigests }: RequestOf<'maintenance', 'eventsOfPerson'>,
  current: CurrentPaths,
  limit: number,
): ErasableEvent[] {
  const events = state.accounts.get(accountId)?.modes[mode].events.values() ?? []
  const isOfPerson = ({ content }: EventState): boolean =>
    content.personId === personId ||
    (content.personDigest !== undefined && personDigests.includes(content.personDigest))
  return [...events]
    .filter((event) => isOfPerson(event) && mayHold(event, current))
    .slice(0, limit)
    .map(erasable)
}

export function eventsBefore(
  state: MemoryState,
  { accountId, publishedBefore, current, after, limit }: RequestOf<'maintenance', 'eventsBefore'>,
): { events: ErasableEvent[]; next: EventKey | undefined } {
  const keyed = homesOf(state)
    .flatMap(({ events }) => [...events.values()])
    .filter((event) => accountId === undefined || event.accountId === accountId)
    .map((event) => ({ event, key: keyOf({ ...event, id: event.stored.id }) }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
  const from = after === undefined ? keyed : keyed.filter(({ key }) => key > keyOf(after))
  const walked = from.slice(0, limit).map(({ event }) => event)
  const last = walked.length < limit ? undefined : walked.at(-1)
  return {
    events: walked
      .filter((event) => event.publishedAt < publishedBefore.getTime() && mayHold(event, current))
      .map(erasable),
    next: last && { accountId: last.accountId, mode: last.mode, id: last.stored.id },
  }
}

export function countUnattributed(
  state: MemoryState,
  { accountId, mode, current, after = '', limit }: RequestOf<'maintenance', 'countUnattributed'>,
): { types: Map<string, number>; next: string | undefined } {
  const events = [...(state.accounts.get(accountId)?.modes[mode].events.values() ?? [])]
  const walked = events
    .filter(({ stored }) => stored.id > after)
    .sort((a, b) => (a.stored.id < b.stored.id ? -1 : 1))
    .slice(0, limit)
  const types = new Map<string, number>()
  for (const event of walked) {
    const { personId, personDigest } = event.content
    if (personId !== undefined || personDigest !== undefined || !mayHold(event, current)) continue
    types.set(event.stored.type, (types.get(event.stored.type) ?? 0) + 1)
  }
  return { types, next: walked.length < limit ? undefined : walked.at(-1)?.stored.id }
}

export function erase(state: MemoryState, erased: readonly ErasedEvent[]): ResultOf<'maintenance', 'erase'> {
  let events = 0
  let responses = 0
  for (const { accountId, mode, id, from, fingerprint, body, personDigest } of erased) {
    const home = state.accounts.get(accountId)?.modes[mode]
    const event = home?.events.get(id)
    if (home === undefined || event?.content.fingerprint !== from) continue
    event.content = {
      digest: undefined,
      personId: undefined,
      personDigest: personDigest ?? event.content.personDigest,
      body: body ?? event.content.body,
      patch: null,
      fingerprint,
    }
    events++
    responses += eraseResponses(home, id)
  }
  return { events, late: 0, responses }
}

function mayHold({ stored, content }: EventState, current: CurrentPaths): boolean {
  const known = current.flatMap(({ type, fingerprint }) => (type === stored.type ? [fingerprint] : []))
  if (isErased(content.fingerprint))
    return known.length > 0 && !known.map(erasedFingerprint).includes(content.fingerprint)
  return content.patch !== null || content.personId !== undefined || !known.includes(content.fingerprint)
}

function eraseResponses({ subscriptions }: ModeState, eventId: string): number {
  let erased = 0
  for (const { history } of subscriptions.values()) {
    history.attempts.forEach((attempt, index) => {
      if (attempt.eventId !== eventId || attempt.response === undefined) return
      history.attempts[index] = { ...attempt, response: undefined }
      erased++
    })
  }
  return erased
}

function erasable({ accountId, mode, stored, content }: EventState): ErasableEvent {
  const { body, fingerprint, personId } = content
  return { accountId, mode, id: stored.id, type: stored.type, body, fingerprint, personId }
}

function keyOf({ accountId, mode, id }: EventKey): string {
  return `${accountId}\u0000${mode}\u0000${id}`
}
