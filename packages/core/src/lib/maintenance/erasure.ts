import { assertAccountId } from '../accounts/accounts.ts'
import { MODES, type Mode } from '../accounts/mode.ts'
import type { Catalog } from '../events/catalog.ts'
import { redactAgain } from '../personal-data/redact.ts'
import type { ErasableEvent, ErasureCounts, EventKey, MaintenanceStore } from '../ports/maintenance-store.ts'
import { assertText } from '../text-rules.ts'
import { assertDate } from '../validation.ts'

/** Events erased, and events examined, in one step. The erased ones stay locked for a few milliseconds. */
const ERASED_AT_ONCE = 50
const WALKED_AT_ONCE = 200

/**
 * Erases personal data from stored events, the stored responses of their deliveries, and the digests of the publisher's
 * input. The rest of the envelope stays, so pages, resends and retries continue without the data.
 *
 * - A worker that has already leased an event may still send the data until its lease ends.
 * - Digests are erased because the platform, which holds their key, could confirm a guess at the data. A repeat with
 *   the same id or idempotency key is still found, but a different input with the same one is no longer detected.
 * - Responses about events that retention has removed stay until their own horizon.
 *
 * Both verbs work in small steps that block nobody. Repeat a call that was interrupted: it continues with what is left.
 */
export interface Erasure {
  /**
   * Erases personal data from the events of one person, found by `personPath` of their types; in both modes by default.
   */
  person(person: {
    readonly accountId: string
    readonly mode?: Mode | undefined
    readonly personId: string
  }): Promise<ErasureCounts>
  /** Erases personal data from all events published before the horizon; in all accounts by default. */
  before(range: { readonly accountId?: string | undefined; readonly horizon: Date }): Promise<ErasureCounts>
}

export interface ErasureOptions {
  readonly catalog: Catalog
  readonly store: MaintenanceStore
  readonly onError: (error: unknown) => void
}

export function createErasure({ catalog, store, onError }: ErasureOptions): Erasure {
  /** Redacts the text of an event stored before its type gained personal-data paths; undefined to keep the text. */
  const bodyWithout = ({ type, body, fingerprint }: ErasableEvent): string | undefined => {
    const now = catalog.get(type)
    if (now === undefined || now.fingerprint === fingerprint) return undefined
    try {
      return redactAgain(body, now.personalDataPaths)
    } catch (error) {
      // The text was not written by Callboard. It stays, but a reader gets this error instead of the text.
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
