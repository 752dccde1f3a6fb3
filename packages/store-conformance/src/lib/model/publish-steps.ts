import assert from 'node:assert/strict'
import type { EventDraft, PublishOutcome } from '@callboard/core/store'
import { catalogOf, fingerprintIn } from './catalog.ts'
import { idOf } from './ids.ts'
import type { Home, ModelEvent } from './model.ts'
import type { DraftStep } from './steps.ts'
import { commit } from './transitions.ts'
import type { World } from './world.ts'

/** Text in the body and the patch of an event that identifies the event, so that the model notices mix-ups. */
function markOf({ account, mode }: Home, eventId: string): string {
  return `${account.id} ${mode} ${eventId}`
}

interface Drafted {
  readonly home: Home
  readonly draft: EventDraft
  readonly subject: string
}

function draftOf(world: World, step: DraftStep, subject: string): Drafted {
  const home = world.homes[step.home]!
  // No id is used again once retention may have removed its event, because a lane can still retry that event.
  const own = step.id === undefined ? undefined : step.id + 10 * home.retired
  const id = idOf('evt', own ?? 1000 * (step.salt + 1) + ++world.made)
  const repeatable = step.id !== undefined || step.key !== undefined
  const draft: EventDraft = {
    accountId: home.account.id,
    mode: home.mode,
    id,
    type: step.type,
    occurredAt: new Date(),
    subject: { type: 'order', id: subject },
    sequence: undefined,
    ownId: step.id !== undefined,
    idempotencyKey: step.key === undefined ? undefined : `key-${step.key}`,
    digests: repeatable ? [`k1.${step.input}`] : [],
    head: `{"mark":"${markOf(home, id)}","name":`,
    middle: ',"sequence":',
    tail: '}',
    patch: step.patch ? `[["buyer.name","${markOf(home, id)}"]]` : null,
    fingerprint: fingerprintIn(catalogOf(world, step.outdated), step.type),
    personId: step.person,
    trace: undefined,
  }
  return { home, draft, subject }
}

/**
 * Publishes several events in one call. The port does not allow two events with the same id or idempotency key in one
 * call, so the second of them is left out.
 */
export async function publish(world: World, steps: readonly DraftStep[]): Promise<void> {
  const drafted: Drafted[] = []
  for (const step of steps) {
    const next = draftOf(world, step, `s-${step.subject}`)
    const repeats = drafted.some(
      ({ home, draft }) =>
        home === next.home &&
        (draft.id === next.draft.id ||
          (draft.idempotencyKey !== undefined && draft.idempotencyKey === next.draft.idempotencyKey)),
    )
    if (!repeats) drafted.push(next)
  }
  const outcomes = await world.store.events.publish(drafted.map(({ draft }) => draft))
  const expected = drafted.map(({ home, draft }) => knownOutcome(home, draft))
  const refused = expected.includes('conflict')
  drafted.forEach(({ home, draft, subject }, index) => {
    const outcome = expected[index] ?? (refused ? 'not_stored' : 'stored')
    assert.equal(outcomes[index]?.outcome, outcome, `publish of ${draft.id}`)
    if (outcome !== 'stored') return
    const sequence = (home.counters.get(subject) ?? 0) + 1
    home.counters.set(subject, sequence)
    commit(world, home, eventOf(world, home, draft, subject, outcomes[index], sequence))
  })
}

function knownOutcome(home: Home, { id, idempotencyKey, digests }: EventDraft): 'known' | 'conflict' | undefined {
  const found = home.events.filter(
    (event) => event.id === id || (idempotencyKey !== undefined && event.idempotencyKey === idempotencyKey),
  )
  if (found.length === 0) return undefined
  const another = found.some(({ digest }) => digest !== undefined && digests.length > 0 && !digests.includes(digest))
  return another ? 'conflict' : 'known'
}

function eventOf(
  world: World,
  { account }: Home,
  draft: EventDraft,
  subject: string,
  outcome: PublishOutcome | undefined,
  sequence: number,
): Omit<ModelEvent, 'generation'> {
  assert.ok(outcome?.outcome === 'stored', 'a new event is stored')
  assert.equal(outcome.event.id, draft.id)
  assert.equal(outcome.event.subject.sequence, sequence, `sequence of ${draft.id}`)
  const { id, type, idempotencyKey, digests, head, middle, tail, patch, fingerprint, personId } = draft
  return {
    id,
    type,
    subject,
    sequence,
    idempotencyKey,
    digest: digests[0],
    publishedAt: world.time,
    body: `${head}${JSON.stringify(account.name)}${middle}${sequence}${tail}`,
    patch,
    fingerprint,
    person: personId,
    sequenced: false,
    position: undefined,
  }
}

/**
 * Publishes one event in a transaction that stays open. The event has a subject of its own, because another call with
 * the same subject would wait until the transaction ends.
 */
export async function beginPublish(world: World, step: DraftStep): Promise<void> {
  if (world.begin === undefined || world.open.length === 3) return
  const { commit: commitTx, rollback, tx } = await world.begin()
  const { home, draft, subject } = draftOf(world, { ...step, id: undefined, key: undefined }, `open-${world.made}`)
  const [outcome] = await world.store.events.publish([draft], tx)
  world.open.push({ home, event: eventOf(world, home, draft, subject, outcome, 1), commit: commitTx, rollback })
}

export async function endPublish(world: World, how: 'commit' | 'rollback', index: number): Promise<void> {
  const open = world.open[index % Math.max(1, world.open.length)]
  if (open === undefined) return
  world.open = world.open.filter((each) => each !== open)
  await open[how]()
  if (how === 'commit') commit(world, open.home, open.event)
}
