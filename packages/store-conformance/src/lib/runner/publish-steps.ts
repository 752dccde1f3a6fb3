import assert from 'node:assert/strict'
import type { CurrentPaths, EventDraft, PublishOutcome } from '@callboard/core/store'
import { idOf } from './ids.ts'
import type { DraftStep } from './steps.ts'
import { both, type Home, keyOf, pick, setTime, type World } from './world.ts'

interface Drafted {
  readonly home: Home
  readonly draft: EventDraft
}

function draftOf(world: World, step: DraftStep, subject: string): Drafted {
  const home = world.homes[step.home]!
  // No id is used again once retention may have removed its event, because a lane can still retry that event.
  const own = step.id === undefined ? undefined : step.id + 10 * home.retired
  const id = idOf('evt', own ?? 1000 * (step.salt + 1) + ++world.made)
  const repeatable = step.id !== undefined || step.key !== undefined
  // Tells mixed-up events apart.
  const mark = `${home.account.id} ${home.mode} ${id}`
  const draft: EventDraft = {
    accountId: home.account.id,
    mode: home.mode,
    id,
    type: step.type,
    occurredAt: new Date(world.time),
    subject: { type: 'order', id: subject },
    sequence: undefined,
    ownId: step.id !== undefined,
    idempotencyKey: step.key === undefined ? undefined : `key-${step.key}`,
    digests: repeatable ? [`k1.${step.input}`] : [],
    head: `{"mark":"${mark}","name":`,
    middle: ',"sequence":',
    tail: '}',
    patch: step.patch ? `[["buyer.name","${mark}"]]` : null,
    fingerprint: fingerprintIn(catalogOf(world, step.outdated), step.type),
    personId: step.person,
    trace: undefined,
  }
  return { home, draft }
}

/**
 * Publishes several events in one call. The port does not allow two events with the same id or idempotency key in one
 * call, so the second of them is left out.
 */
export async function publish(world: World, steps: readonly DraftStep[]): Promise<void> {
  const drafted: Drafted[] = []
  for (const step of steps) {
    const next = draftOf(world, step, `s-${step.subject}`)
    const { id, idempotencyKey } = next.draft
    const repeats = drafted.some(
      ({ home, draft }) =>
        home === next.home &&
        (draft.id === id || (idempotencyKey !== undefined && draft.idempotencyKey === idempotencyKey)),
    )
    if (!repeats) drafted.push(next)
  }
  const drafts = drafted.map(({ draft }) => draft)
  const [outcomes] = await both(world, 'published', (store) => store.events.publishDrafts(drafts))
  for (const [index, { home, draft }] of drafted.entries()) note(world, home, draft, outcomes[index])
}

function note(
  world: World,
  home: Home,
  { accountId, mode, id, subject }: EventDraft,
  outcome: PublishOutcome | undefined,
): void {
  if (outcome?.outcome !== 'stored') return
  const { sequence } = outcome.event.subject
  const { generation } = world
  world.events.set(keyOf({ accountId, mode }, id), { subject: subject.id, sequence, generation })
  home.eventIds.push(id)
}

/**
 * Publishes one event in a transaction that stays open. The event has a subject of its own, because another call with
 * the same subject would wait until the transaction ends.
 */
export async function beginPublish(world: World, step: DraftStep): Promise<void> {
  const { tested, reference, open } = world
  if (tested.begin === undefined || open.length === 3) return
  const transaction = await tested.begin()
  const { home, draft } = draftOf(world, { ...step, id: undefined, key: undefined }, `open-${world.made}`)
  await tested.store.events.publishDrafts([draft], transaction.tx)
  open.push({
    transaction,
    async committed() {
      const [outcome] = await reference.store.events.publishDrafts([draft])
      note(world, home, draft, outcome)
    },
  })
}

/** Ends a transaction. The outbox is emptied first, because the order among its events is not promised. */
export async function endPublish(world: World, how: 'commit' | 'rollback', index: number): Promise<void> {
  const open = pick(world.open, index)
  if (open === undefined) return
  await sequence(world, 1000)
  world.open = world.open.filter((each) => each !== open)
  await open.transaction[how]()
  if (how === 'commit') await open.committed()
}

export async function endAllPublishes(world: World): Promise<void> {
  while (world.open.length > 0) await endPublish(world, 'commit', 0)
}

/**
 * Moves the clocks. All open transactions end first: the reference has none, so it would say that their events were
 * published later.
 */
export async function moveClock(world: World, ms: number): Promise<void> {
  await endAllPublishes(world)
  await setTime(world, world.time + ms)
}

/** Sequences events. A store may say that more of them wait although none does. */
export async function sequence(world: World, limit: number): Promise<void> {
  const tested = await world.tested.store.deliveries.sequence(limit)
  const reference = await world.reference.store.deliveries.sequence(limit)
  assert.equal(tested.sequenced, reference.sequenced, 'sequenced')
  assert.ok(tested.more || !reference.more, 'the store says that more events wait')
  if (!reference.more) world.generation++
}

/** Adds a personal-data path to a type. Processes that have not been updated still have the former catalogue. */
export function growCatalog(world: World, grown: string): void {
  world.formerCatalog = world.catalog
  world.catalog = world.catalog.map(({ type, fingerprint }) => ({
    type,
    fingerprint: type === grown ? `f${Number(fingerprint.slice(1)) + 1}` : fingerprint,
  }))
}

/** The catalogue of a process. It is `outdated` if the process has not been updated since the catalogue grew. */
export function catalogOf({ catalog, formerCatalog }: World, outdated: boolean): CurrentPaths {
  return outdated ? formerCatalog : catalog
}

export function fingerprintIn(catalog: CurrentPaths, type: string): string {
  return catalog.find((each) => each.type === type)!.fingerprint
}
