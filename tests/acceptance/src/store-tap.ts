import type { DeliveryStore, Store } from '@callboard/core/store'

type Verb = 'attend' | 'sequence' | 'due' | 'lease' | 'checkLeases' | 'settle'
type Values<V extends Verb> = Parameters<DeliveryStore[V]>
type Result<V extends Verb> = Awaited<ReturnType<DeliveryStore[V]>>

interface Watch {
  readonly verb: Verb
  readonly matches: (values: never, result: never) => boolean
  readonly end: () => void
}

/** A store that reports a worker's calls, and can fail or wait like a real store. */
export interface StoreTap {
  readonly store: Store<unknown>
  /**
   * Runs `hook` before each call of the method. If `hook` throws, the worker gets the error and the store is not
   * called.
   */
  before<V extends Verb>(verb: V, hook: (...values: Values<V>) => unknown): void
  /** Runs `hook` after the store has answered, before the worker gets the answer. */
  after<V extends Verb>(verb: V, hook: (...values: Values<V>) => unknown): void
  /** How many calls the store has answered. */
  calls(verb: Verb): number
  /** Resolves at the next answer that matches. */
  next<V extends Verb>(verb: V, matches?: (values: Values<V>, result: Result<V>) => boolean): Promise<void>
  /** Resolves when workers have looked for work `count` more times. */
  polls(count?: number): Promise<void>
  /**
   * Calls `holds` each time a worker looks for work, and resolves once it returns true. Also resolves after
   * `MOST_LOOKS` looks, so that the test's next expectation fails and shows what is missing.
   */
  until(holds: () => boolean): Promise<void>
}

/** This many looks take at least 12.5 seconds, because these tests' workers sleep 5 ms before each look for work. */
const MOST_LOOKS = 2_500

export function tapStore(store: Store<unknown>): StoreTap {
  const hooks = new Map<string, (values: never) => unknown>()
  const calls = new Map<Verb, number>()
  let watches: Watch[] = []

  const tap = <V extends Verb>(verb: V, call: (...values: Values<V>) => Promise<Result<V>>) => {
    return async (...values: Values<V>): Promise<Result<V>> => {
      await hooks.get(`before ${verb}`)?.(values as never)
      const result = await call(...values)
      await hooks.get(`after ${verb}`)?.(values as never)
      calls.set(verb, (calls.get(verb) ?? 0) + 1)
      const done = watches.filter((watch) => watch.verb === verb && watch.matches(values as never, result as never))
      watches = watches.filter((watch) => !done.includes(watch))
      for (const { end } of done) end()
      return result
    }
  }
  const { deliveries } = store
  const next: StoreTap['next'] = (verb, matches = () => true) =>
    new Promise((end) => watches.push({ verb, matches: matches as Watch['matches'], end }))
  const polls: StoreTap['polls'] = async (count = 5) => {
    for (let left = count; left > 0; left--) await next('due')
  }

  return {
    store: {
      ...store,
      deliveries: {
        ...deliveries,
        // Workers never rest, because tests wait for their looks.
        listenForWork: (...values) => ({ ...deliveries.listenForWork(...values), restMs: () => undefined }),
        // Sequences without leasing, so that a worker leases everything through `lease`, which tests can observe.
        sequence: tap('sequence', (limit) => deliveries.sequence(limit)),
        attend: tap('attend', (worker) => deliveries.attend(worker)),
        due: tap('due', (request) => deliveries.due(request)),
        lease: tap('lease', (request) => deliveries.lease(request)),
        checkLeases: tap('checkLeases', (leases) => deliveries.checkLeases(leases)),
        settle: tap('settle', (settlements, failing) => deliveries.settle(settlements, failing)),
      },
    },
    before: (verb, hook) => void hooks.set(`before ${verb}`, (values: Parameters<typeof hook>) => hook(...values)),
    after: (verb, hook) => void hooks.set(`after ${verb}`, (values: Parameters<typeof hook>) => hook(...values)),
    calls: (verb) => calls.get(verb) ?? 0,
    next,
    polls,
    async until(holds) {
      for (let looks = 0; !holds() && looks < MOST_LOOKS; looks++) await polls(1)
    },
  }
}
