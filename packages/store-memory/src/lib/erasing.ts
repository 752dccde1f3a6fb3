import {
  ERASED_FINGERPRINT,
  type ErasableEvent,
  type ErasedEvent,
  type ErasureCounts,
  type ErasureWalk,
  type EventKey,
  type PersonRef,
} from '@callboard/core/store'
import type { EventState, MemoryState, ModeState } from './memory-state.ts'

export function eventsOfPerson(
  state: MemoryState,
  { accountId, mode, personId }: PersonRef,
  limit: number,
): ErasableEvent[] {
  const events = state.accounts.get(accountId)?.modes[mode].events.values() ?? []
  return [...events]
    .filter(({ content }) => content.personId === personId)
    .slice(0, limit)
    .map(erasable)
}

export function eventsBefore(
  state: MemoryState,
  { accountId, publishedBefore, current, after, limit }: ErasureWalk,
): { events: ErasableEvent[]; next: EventKey | undefined } {
  const accounts = accountId === undefined ? state.accounts.values() : [state.accounts.get(accountId)]
  const keyed = [...accounts]
    .flatMap((account) => (account === undefined ? [] : [account.modes.live, account.modes.test]))
    .flatMap(({ events }) => [...events.values()])
    .map((event) => ({ event, key: keyOf({ ...event, id: event.stored.id }) }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
  const from = after === undefined ? keyed : keyed.filter(({ key }) => key > keyOf(after))
  const walked = from.slice(0, limit).map(({ event }) => event)
  const last = walked.length < limit ? undefined : walked.at(-1)
  const known = new Set(current.map(({ type, fingerprint }) => `${type} ${fingerprint}`))
  const holds = ({ stored, content }: EventState): boolean =>
    content.fingerprint !== ERASED_FINGERPRINT &&
    (content.patch !== null || content.personId !== undefined || !known.has(`${stored.type} ${content.fingerprint}`))
  return {
    events: walked.filter((event) => event.publishedAt < publishedBefore.getTime() && holds(event)).map(erasable),
    next: last && { accountId: last.accountId, mode: last.mode, id: last.stored.id },
  }
}

export function erase(state: MemoryState, erased: readonly ErasedEvent[]): ErasureCounts {
  let events = 0
  let responses = 0
  for (const { accountId, mode, id, from, body } of erased) {
    const home = state.accounts.get(accountId)?.modes[mode]
    const event = home?.events.get(id)
    if (home === undefined || event?.content.fingerprint !== from) continue
    event.content = {
      digest: undefined,
      personId: undefined,
      body: body ?? event.content.body,
      patch: null,
      fingerprint: ERASED_FINGERPRINT,
    }
    events++
    responses += eraseResponses(home, id)
  }
  return { events, responses }
}

function eraseResponses({ subscriptions }: ModeState, eventId: string): number {
  let erased = 0
  for (const { lane } of subscriptions.values()) {
    lane.history.attempts.forEach((attempt, index) => {
      if (attempt.eventId !== eventId || attempt.response === undefined) return
      lane.history.attempts[index] = { ...attempt, response: undefined }
      erased++
    })
  }
  return erased
}

function erasable({ accountId, mode, stored, content }: EventState): ErasableEvent {
  return { accountId, mode, id: stored.id, type: stored.type, body: content.body, fingerprint: content.fingerprint }
}

function keyOf({ accountId, mode, id }: EventKey): string {
  return `${accountId}\u0000${mode}\u0000${id}`
}
