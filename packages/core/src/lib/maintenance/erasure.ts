import { assertAccountId } from '../accounts/accounts.ts'
import { MODES, type Mode } from '../accounts/mode.ts'
import type { Catalog } from '../events/catalog.ts'
import { redactAgain } from '../personal-data/redact.ts'
import type { ErasableEvent, ErasureCounts, EventKey, MaintenanceStore } from '../ports/maintenance-store.ts'
import { assertText } from '../text-rules.ts'
import { assertDate } from '../validation.ts'

/** Events erased in one step, and events looked at in one: a step locks the first for a few milliseconds. */
const ERASED_AT_ONCE = 50
const WALKED_AT_ONCE = 200

/**
 * Personal data of stored events, for the platform to erase (decisions, “Erasure”): it goes from the events, from the responses
 * kept of their deliveries, and from the digests that repeats are told by (keyed, but the platform holds the key: a guess at the
 * data could be proved; a repeat under the same id or key is still found, it can no longer be told from another input). The
 * envelope stays, and with it the redacted bytes. Pages, resends and running retries go without the data from
 * then on; what a worker has leased already is in its memory, and may still go out until that lease ends. What targets
 * answered about an event that retention has removed goes by its own horizon.
 *
 * Both verbs work in small steps that block nobody. After one that was cut off, call it again: it goes on with what is left.
 */
export interface Erasure {
  /** Erases what the events of one person hold; their types name the person by `personPath`. Both modes by default. */
  person(person: {
    readonly accountId: string
    readonly mode?: Mode | undefined
    readonly personId: string
  }): Promise<ErasureCounts>
  /** Erases what all events hold that were published before the horizon, of every account by default. */
  before(range: { readonly accountId?: string | undefined; readonly horizon: Date }): Promise<ErasureCounts>
}

export interface ErasureOptions {
  readonly catalog: Catalog
  readonly store: MaintenanceStore
  readonly onError: (error: unknown) => void
}

export function createErasure({ catalog, store, onError }: ErasureOptions): Erasure {
  /** An event from before its type's paths changed holds in plain sight what counts as personal data now. */
  const bodyWithout = ({ type, body, fingerprint }: ErasableEvent): string | undefined => {
    const now = catalog.get(type)
    if (now === undefined || now.fingerprint === fingerprint) return undefined
    try {
      return redactAgain(body, now.personalDataPaths)
    } catch (error) {
      // A text that is not Callboard's. It stays; whoever reads it gets this error instead.
      onError(error)
      return undefined
    }
  }

  const erase = async (events: readonly ErasableEvent[]): Promise<ErasureCounts> => {
    let counts: ErasureCounts = { events: 0, responses: 0 }
    for (let start = 0; start < events.length; start += ERASED_AT_ONCE) {
      const step = events.slice(start, start + ERASED_AT_ONCE)
      counts = sum(
        counts,
        await store.erase(
          step.map((event) => {
            const { accountId, mode, id, fingerprint } = event
            return { accountId, mode, id, from: fingerprint, body: bodyWithout(event) }
          }),
        ),
      )
    }
    return counts
  }

  return {
    async person({ accountId, mode, personId }) {
      assertAccountId('accountId', accountId)
      assertText('personId', personId, { min: 0, max: Number.POSITIVE_INFINITY })
      let counts: ErasureCounts = { events: 0, responses: 0 }
      for (const each of mode === undefined ? MODES : [mode]) {
        const person = { accountId, mode: each, personId }
        for (let left = true; left; ) {
          const events = await store.eventsOfPerson(person, ERASED_AT_ONCE)
          counts = sum(counts, await erase(events))
          left = events.length === ERASED_AT_ONCE
        }
      }
      return counts
    },

    async before({ accountId, horizon }) {
      if (accountId !== undefined) assertAccountId('accountId', accountId)
      assertDate('horizon', horizon)
      const current = catalog.types.map(({ name, fingerprint }) => ({ type: name, fingerprint }))
      const walk = { accountId, publishedBefore: horizon, current, limit: WALKED_AT_ONCE }
      let counts: ErasureCounts = { events: 0, responses: 0 }
      let after: EventKey | undefined
      do {
        const step = await store.eventsBefore({ ...walk, after })
        counts = sum(counts, await erase(step.events))
        after = step.next
      } while (after !== undefined)
      return counts
    },
  }
}

function sum(a: ErasureCounts, b: ErasureCounts): ErasureCounts {
  return { events: a.events + b.events, responses: a.responses + b.responses }
}
