import type { DisabledReason } from '@callboard/core'
import fc from 'fast-check'

/**
 * One step. The number in a field such as `subscription` picks an existing subscription: it is an index, taken modulo
 * the number of subscriptions. If there is none, the step does nothing.
 */
export type Step =
  | { readonly do: 'publish'; readonly drafts: readonly DraftStep[] }
  | { readonly do: 'begin'; readonly draft: DraftStep }
  | { readonly do: 'commit' | 'rollback'; readonly open: number }
  | { readonly do: 'subscribe'; readonly home: number; readonly key: number; readonly slot: number }
  | { readonly do: 'unsubscribe'; readonly subscription: number }
  | { readonly do: 'enable'; readonly subscription: number; readonly from: readonly DisabledReason[] }
  | {
      readonly do: 'disable'
      readonly subscription: number
      readonly reason: DisabledReason
      readonly replaces: readonly DisabledReason[]
    }
  | { readonly do: 'rotateSecret'; readonly subscription: number; readonly minutes: number }
  | {
      readonly do: 'issueKey'
      readonly home: number
      readonly personalData: boolean
      readonly minutes: number | undefined
    }
  | { readonly do: 'rotateKey'; readonly home: number; readonly key: number; readonly minutes: number }
  | { readonly do: 'revokeKey'; readonly home: number; readonly key: number }
  | { readonly do: 'growCatalog'; readonly type: string }
  | (Erasing & { readonly do: 'erasePerson'; readonly home: number; readonly person: string })
  /** `home` is one of the account's homes; undefined for all accounts. */
  | (Erasing & { readonly do: 'eraseBefore'; readonly home: number | undefined; readonly minutes: number })
  | { readonly do: 'deleteAccount'; readonly home: number }
  | {
      readonly do: 'retain'
      readonly what: 'events' | 'attempts' | 'responses' | 'subscriptions'
      readonly minutes: number
      /** The most rows of a kind that one step of the pass removes. */
      readonly limit: number
      /** How many responses are kept of each subscription. */
      readonly newest: number
    }
  | { readonly do: 'sequence'; readonly limit: number }
  | (Leasing & { readonly do: 'lease' })
  | { readonly do: 'settle'; readonly plans: readonly Plan[] }
  /** One round of a worker: sequence, lease, send and settle. */
  | (Leasing & { readonly do: 'work'; readonly plans: readonly Plan[] })
  | { readonly do: 'crash'; readonly held: number }
  | { readonly do: 'check' | 'sweep' | 'restart' }
  | { readonly do: 'advance'; readonly minutes: number }

export interface DraftStep {
  readonly home: number
  readonly type: string
  readonly subject: number
  /** `id` and `key` stand for the publisher's own id and idempotency key; undefined if the publisher passes none. */
  readonly id: number | undefined
  readonly key: number | undefined
  readonly input: number
  /** Part of a generated id, so that ids do not rise in the order of publishing. */
  readonly salt: number
  readonly person: string | undefined
  /** Whether the event contains personal data. */
  readonly patch: boolean
  /** Whether the publishing process still has the former catalogue. */
  readonly outdated: boolean
}

export interface Erasing {
  /** Whether the erasing process still has the former catalogue. */
  readonly outdated: boolean
  /** Whether another process erases the same events at the same time. */
  readonly twice: boolean
  /** Whether an open transaction commits after the erasure began. */
  readonly commits: boolean
}

export interface Leasing {
  readonly lanes: number
  readonly perLane: number
  readonly minutes: number
}

export type PlannedOutcome = 'delivered' | 'failed' | 'gone' | 'aborted' | 'expired'

/** How a worker settles a lane that it holds. */
export interface Plan {
  readonly held: number
  /** The number of deliveries that the worker settles. It keeps the rest of its deliveries for later. */
  readonly count: number
  readonly outcomes: readonly PlannedOutcome[]
  readonly keep: boolean
  /** Whether the worker records the attempt at a suspect delivery before it sends the request. */
  readonly recordFirst: boolean
  /** Minutes until a retry. */
  readonly minutes: number
  readonly failures: number
  /** The number of minutes for which the breaker pauses the lane. */
  readonly pause: number
  readonly slow: boolean
  /** Whether the target's responses have a text. */
  readonly answers: boolean
}

/** A record that fast-check prints as an ordinary object. */
function record<T>(model: { [Key in keyof T]: fc.Arbitrary<T[Key]> }): fc.Arbitrary<T> {
  return fc.record(model, { noNullPrototype: true })
}

const small = fc.nat({ max: 5 })
const minutes = fc.integer({ min: 1, max: 4 })
const REASONS: readonly DisabledReason[] = ['gone', 'failing', 'key', 'account', 'platform']
const reasons = fc.subarray([...REASONS])
const sometimes = fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) })

const type = fc.constantFrom('a', 'a', 'b', 'b', 'c')
const person = fc.constantFrom('Ann', 'Bea')

const draft: fc.Arbitrary<DraftStep> = record({
  home: fc.constantFrom(0, 0, 0, 0, 1, 2, 3),
  type,
  subject: fc.nat({ max: 2 }),
  id: fc.option(small, { nil: undefined, freq: 5 }),
  key: fc.option(small, { nil: undefined, freq: 5 }),
  input: fc.nat({ max: 1 }),
  salt: fc.nat({ max: 9 }),
  person: fc.option(person, { nil: undefined, freq: 3 }),
  patch: fc.constantFrom(true, true, true, false),
  outdated: sometimes,
})

const erasing = { outdated: sometimes, twice: sometimes, commits: sometimes }

const plan: fc.Arbitrary<Plan> = record({
  held: small,
  count: fc.constantFrom(9, 9, 9, 1, 2, 0),
  outcomes: fc.array(
    fc.constantFrom<PlannedOutcome[]>(
      'delivered',
      'delivered',
      'failed',
      'failed',
      'failed',
      'aborted',
      'gone',
      'expired',
    ),
    { minLength: 1, maxLength: 4 },
  ),
  keep: sometimes,
  recordFirst: fc.boolean(),
  minutes: fc.nat({ max: 3 }),
  failures: fc.constantFrom(0, 0, 1, 4, 5, 6),
  pause: fc.constantFrom(0, 0, 0, 1, 3),
  slow: sometimes,
  answers: fc.boolean(),
})

const plans = fc.array(plan, { minLength: 1, maxLength: 4 })
const leasing = {
  lanes: fc.constantFrom(9, 9, 9, 1, 2),
  perLane: fc.constantFrom(10, 10, 1, 2, 3),
  minutes: fc.integer({ min: 1, max: 3 }),
}
const subscription = fc.nat({ max: 15 })

export const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: record({ do: fc.constant('publish'), drafts: fc.array(draft, { minLength: 1, maxLength: 4 }) }),
  },
  { weight: 1, arbitrary: record({ do: fc.constant('begin'), draft }) },
  { weight: 1, arbitrary: record({ do: fc.constantFrom('commit', 'commit', 'rollback'), open: small }) },
  {
    weight: 4,
    arbitrary: record({
      do: fc.constant('subscribe'),
      home: fc.nat({ max: 3 }),
      key: small,
      slot: fc.nat({ max: 3 }),
    }),
  },
  { weight: 1, arbitrary: record({ do: fc.constant('unsubscribe'), subscription }) },
  { weight: 2, arbitrary: record({ do: fc.constant('enable'), subscription, from: reasons }) },
  {
    weight: 1,
    arbitrary: record({
      do: fc.constant('disable'),
      subscription,
      reason: fc.constantFrom(...REASONS),
      replaces: reasons,
    }),
  },
  { weight: 1, arbitrary: record({ do: fc.constant('rotateSecret'), subscription, minutes }) },
  {
    weight: 1,
    arbitrary: record({
      do: fc.constant('issueKey'),
      home: fc.nat({ max: 3 }),
      personalData: fc.boolean(),
      minutes: fc.option(minutes, { nil: undefined }),
    }),
  },
  { weight: 1, arbitrary: record({ do: fc.constant('rotateKey'), home: fc.nat({ max: 3 }), key: small, minutes }) },
  { weight: 1, arbitrary: record({ do: fc.constant('revokeKey'), home: fc.nat({ max: 3 }), key: small }) },
  { weight: 1, arbitrary: record({ do: fc.constant('growCatalog'), type }) },
  {
    weight: 2,
    arbitrary: record({ do: fc.constant('erasePerson'), home: fc.constantFrom(0, 0, 0, 1, 2, 3), person, ...erasing }),
  },
  {
    weight: 1,
    arbitrary: record({
      do: fc.constant('eraseBefore'),
      home: fc.option(fc.nat({ max: 3 }), { nil: undefined }),
      minutes: fc.nat({ max: 3 }),
      ...erasing,
    }),
  },
  // The home with most of the events is deleted less often than the others.
  { weight: 1, arbitrary: record({ do: fc.constant('deleteAccount'), home: fc.constantFrom(0, 2, 2) }) },
  {
    weight: 3,
    arbitrary: record({
      do: fc.constant('retain'),
      what: fc.constantFrom('events', 'events', 'events', 'attempts', 'responses', 'subscriptions'),
      minutes,
      limit: fc.constantFrom(1000, 1000, 3),
      newest: fc.constantFrom(1000, 3, 1),
    }),
  },
  { weight: 6, arbitrary: record({ do: fc.constant('sequence'), limit: fc.constantFrom(1000, 1000, 2) }) },
  { weight: 5, arbitrary: record({ do: fc.constant('lease'), ...leasing }) },
  { weight: 6, arbitrary: record({ do: fc.constant('settle'), plans }) },
  { weight: 8, arbitrary: record({ do: fc.constant('work'), ...leasing, plans }) },
  { weight: 1, arbitrary: record({ do: fc.constant('crash'), held: small }) },
  { weight: 1, arbitrary: record({ do: fc.constantFrom('check', 'check', 'sweep', 'sweep', 'restart') }) },
  { weight: 4, arbitrary: record({ do: fc.constant('advance'), minutes }) },
)
