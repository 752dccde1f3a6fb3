import type { SubscriptionChanges } from '@callboard/core'
import { DISABLED_REASONS, RESENDABLE_STATES, type SubscriptionAct } from '@callboard/core/store'
import fc from 'fast-check'
import { idOf } from './ids.ts'
import type { DraftStep, Plan, PlannedOutcome, Step } from './steps.ts'
import { SLOTS } from './subscription-steps.ts'

/** A record that fast-check prints as an ordinary object. */
function record<T>(model: { [Key in keyof T]: fc.Arbitrary<T[Key]> }): fc.Arbitrary<T> {
  return fc.record(model, { noNullPrototype: true })
}

/** A record that is picked as often as its weight says. */
function weighted<T>(
  weight: number,
  model: { [Key in keyof T]: fc.Arbitrary<T[Key]> },
): { readonly weight: number; readonly arbitrary: fc.Arbitrary<T> } {
  return { weight, arbitrary: record(model) }
}

const small = fc.nat({ max: 5 })
const minutes = fc.integer({ min: 1, max: 4 })
const reasons = fc.subarray([...DISABLED_REASONS])
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
  open: fc.constantFrom(0, 0, 1, 2),
  recordFirst: fc.boolean(),
  minutes: fc.nat({ max: 3 }),
  breakerFailures: fc.constantFrom(0, 0, 1, 4, 5, 6),
  pause: fc.constantFrom(0, 0, 0, 1, 3),
  slow: sometimes,
  answers: fc.boolean(),
})

const plans = fc.array(plan, { minLength: 1, maxLength: 4 })
const leasing = {
  lanes: fc.constantFrom(9, 9, 9, 1, 2),
  perLane: fc.constantFrom(10, 10, 1, 2, 3),
  minutes: fc.integer({ min: 1, max: 6 }),
}
const subscription = fc.nat({ max: 15 })

const changes: fc.Arbitrary<SubscriptionChanges & { readonly externalRef?: string | null }> = fc.oneof(
  record({ targetUrl: fc.constantFrom('https://hooks.example.com/catch/1', 'https://hooks.example.com/catch/2') }),
  record({ eventTypes: fc.constantFrom(...SLOTS) }),
  record({ externalRef: fc.constantFrom(null, 'own'), apiVersion: fc.constantFrom('2026-10-01', '2027-01-01') }),
  record({ targetUrl: fc.constantFrom('https://hooks.example.com/catch/3'), eventTypes: fc.constantFrom(...SLOTS) }),
)
const enable = record({ act: fc.constant('enable' as const), from: reasons })
const disable = record({
  act: fc.constant('disable' as const),
  reason: fc.constantFrom(...DISABLED_REASONS),
  replaces: reasons,
})
const optional = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined, freq: 1 })

const act: fc.Arbitrary<SubscriptionAct> = fc.oneof(
  weighted(1, { act: fc.constant('remove'), sources: fc.constant(['api' as const]) }),
  weighted(1, { act: fc.constant('skip_to_now') }),
  weighted(1, { act: fc.constant('cancel_backfill') }),
  { weight: 2, arbitrary: enable },
  { weight: 2, arbitrary: disable },
  weighted(2, { act: fc.constant('set_ordering'), ordering: fc.constantFrom('none', 'subject') }),
  weighted(3, { act: fc.constant('revise'), changes }),
  weighted(3, {
    act: fc.constant('revise'),
    changes,
    state: optional(fc.oneof(enable, disable)),
    identity: optional(fc.nat({ max: SLOTS.length - 1 }).map((slot) => Uint8Array.from([slot]))),
    confirmedBy: optional(small.map((number) => idOf('key', number))),
  }),
  weighted(1, {
    act: fc.constant('rotate_secret'),
    sealedSecret: fc.string(),
    overlapMs: fc.nat({ max: 200_000 }),
  }),
)
export const randomStep: fc.Arbitrary<Step> = fc.oneof(
  weighted(6, { do: fc.constant('publish'), drafts: fc.array(draft, { minLength: 1, maxLength: 4 }) }),
  weighted(1, { do: fc.constant('begin'), draft }),
  weighted(1, { do: fc.constantFrom('commit', 'commit', 'rollback'), open: small }),
  weighted(4, {
    do: fc.constant('subscribe'),
    home: fc.nat({ max: 3 }),
    key: small,
    slot: fc.nat({ max: 3 }),
  }),
  weighted(2, {
    do: fc.constant('import'),
    home: fc.nat({ max: 3 }),
    slot: fc.nat({ max: 3 }),
    again: fc.option(small, { nil: undefined, freq: 2 }),
    personalData: fc.boolean(),
    disabledReason: fc.option(fc.constantFrom(...DISABLED_REASONS), { nil: undefined, freq: 1 }),
  }),
  weighted(10, { do: fc.constant('change'), subscription, act }),
  weighted(2, { do: fc.constant('resend'), subscription, event: fc.nat({ max: 30 }) }),
  weighted(1, {
    do: fc.constant('resendRange'),
    subscription,
    states: fc.subarray([...RESENDABLE_STATES], { minLength: 1 }),
    minutes,
  }),
  weighted(4, { do: fc.constant('backfill'), subscription, minutes: fc.integer({ min: 1, max: 20 }) }),
  weighted(1, {
    do: fc.constant('issueKey'),
    home: fc.nat({ max: 3 }),
    personalData: fc.boolean(),
    minutes: fc.option(minutes, { nil: undefined }),
  }),
  weighted(1, { do: fc.constant('rotateKey'), home: fc.nat({ max: 3 }), key: small, minutes }),
  weighted(1, { do: fc.constant('revokeKey'), home: fc.nat({ max: 3 }), key: small }),
  weighted(1, { do: fc.constant('growCatalog'), type }),
  weighted(2, { do: fc.constant('erasePerson'), home: fc.constantFrom(0, 0, 0, 1, 2, 3), person, ...erasing }),
  weighted(1, {
    do: fc.constant('eraseBefore'),
    home: fc.option(fc.nat({ max: 3 }), { nil: undefined }),
    minutes: fc.nat({ max: 3 }),
    ...erasing,
  }),
  // The home with most of the events is deleted less often than the others.
  weighted(1, { do: fc.constant('deleteAccount'), home: fc.constantFrom(0, 2, 2) }),
  weighted(5, {
    do: fc.constant('retain'),
    what: fc.constantFrom('events', 'events', 'events', 'events', 'attempts', 'responses', 'subscriptions'),
    minutes,
    limit: fc.constantFrom(1000, 1000, 3),
    newest: fc.constantFrom(1000, 3, 1),
  }),
  weighted(6, { do: fc.constant('sequence'), limit: fc.constantFrom(1000, 1000, 2) }),
  weighted(5, { do: fc.constant('lease'), ...leasing }),
  weighted(6, { do: fc.constant('settle'), plans }),
  weighted(8, { do: fc.constant('work'), ...leasing, plans }),
  weighted(1, { do: fc.constant('crash'), held: small }),
  weighted(1, { do: fc.constantFrom('check', 'check', 'sweep', 'sweep', 'restart') }),
  weighted(4, { do: fc.constant('advance'), minutes }),
)
