import { assertAccountId } from '../accounts/accounts.ts'
import { MODES, type Mode } from '../accounts/mode.ts'
import type { Catalog } from '../events/catalog.ts'
import { redactAgain } from '../personal-data/redact.ts'
import type { ErasableEvent, ErasureCounts, EventKey, MaintenanceStore } from '../ports/maintenance-store.ts'
import { assertText } from '../text-rules.ts'
import { assertDate } from '../validation.ts'

/** How many events one step erases. The events stay locked during the step, for a few milliseconds. */
const ERASED_AT_ONCE = 50
/** How many events `before` examines in one step. */
const WALKED_AT_ONCE = 200

/**
 * Erases personal data from stored events, the stored responses of their deliveries, and the digests of the publisher's
 * input. The rest of the envelope stays, so pages of events, resends and retries still work, but without the data.
 *
 * - A worker that has already leased an event can still send the data until its lease ends.
 * - Digests are erased because the platform has the key that made them, and could use them to confirm a guess at the
 *   data. A repeat with the same id or idempotency key is still recognised, but Callboard no longer detects that its
 *   input differs.
 * - If retention has already removed an event, the stored responses to its deliveries are not erased; retention removes
 *   them later.
 *
 * Both methods work in small steps that block neither publishers nor workers. If a call was interrupted, repeat it; the
 * new call continues with the remaining events.
 */
export interface Erasure {
  /**
   * Erases personal data from the events of one person, whom each event's type names by `personPath`; in both modes by
   * default.
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
  /**
   * Redacts the text of an event that was stored before its type gained personal-data paths. Returns undefined to keep
   * the stored text.
   */
  const bodyWithout = ({ type, body, fingerprint }: ErasableEvent): string | undefined => {
    const now = catalog.get(type)
    if (now === undefined || now.fingerprint === fingerprint) return undefined
    try {
      return redactAgain(body, now.personalDataPaths)
    } catch (error) {
      // Callboard did not write this text, so it cannot be redacted. The text is kept, but whoever reads it gets this
      // error.
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
