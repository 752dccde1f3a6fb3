import { assertAccountId } from '../accounts/accounts.ts'
import { MODES, type Mode } from '../accounts/mode.ts'
import type { Recorder } from '../audit/recorder.ts'
import type { AccountErasure, GuardedHooks } from '../hooks/hooks.ts'
import { erasedFingerprint, fingerprintOfPaths } from '../personal-data/erased-fingerprint.ts'
import { redactAgain } from '../personal-data/redact.ts'
import type { ErasableEvent, ErasureCounts, EventKey, MaintenanceStore } from '../ports/maintenance-store.ts'
import type { KeyRing } from '../secrets/key-ring.ts'
import { assertText } from '../validation/text-rules.ts'
import { assertDate, validationFailed } from '../validation/validation.ts'
import type { Formats, Shape } from '../versions/formats.ts'
import { waitForPublishers } from './wait-for-publishers.ts'

/** One step erases at most this many events. They stay locked during the step, for a few milliseconds. */
const ERASED_AT_ONCE = 50
/** One step of `before` examines at most this many events. */
const WALKED_AT_ONCE = 200
/**
 * One step of `countUnattributed` examines at most this many events. The limit is high, because such a step does not
 * read the events' texts.
 */
const COUNTED_AT_ONCE = 5_000
const WAIT_MS = 10_000

export interface ErasureReport extends ErasureCounts {
  /** The counts of each account from which something was erased. */
  readonly accounts: readonly AccountErasure[]
  /**
   * How many of the transactions that the call waited for were still open after the wait. If one of them commits, its
   * events keep their personal data, so repeat the call later.
   */
  readonly openTransactions: number
}

export interface PersonErasureReport extends ErasureReport {
  /**
   * For each type, how many of the account's events may hold personal data but name no person, usually because the type
   * had no `personPath` when they were published. `before` erases that data.
   */
  readonly unattributed: readonly { readonly type: string; readonly events: number }[]
}

interface Waiting {
  /**
   * How long to wait for open transactions that had published events before the call, in milliseconds; 10 seconds by
   * default. Never call the method within such a transaction: the call would wait for its own caller.
   */
  readonly waitMs?: number | undefined
}

/**
 * Erases personal data from stored events, the stored responses of their deliveries, and the digests of the publisher's
 * input. The rest of the envelope stays, so pages of events, resends and retries still work, but without the data.
 *
 * - Both methods first wait for open transactions that published events before the call, so that those events are
 *   erased too. The report counts the transactions that were still open after the wait.
 * - The person's id is replaced by a keyed digest. If the event's type gains personal-data paths later, another call of
 *   `person` finds the event by this digest. If the digest's key was removed from `secretKeys`, use `before` instead.
 * - A worker that has already leased an event can still send the data until its lease ends.
 * - Digests of the input are erased because the platform, which has their key, could use them to confirm a guess at the
 *   data. Callboard still recognises a repeat by its id or idempotency key, but no longer detects that its input
 *   differs.
 * - If retention has already removed an event, the stored responses to its deliveries stay until retention removes them
 *   too.
 *
 * Both methods work in small steps that block neither publishers nor workers. If a call was interrupted, repeat it.
 */
export interface Erasure {
  /**
   * Erases personal data from the events of one person, in both modes by default. An event belongs to the person whose
   * id its `data` had at the `personPath` of its type when it was published.
   */
  person(
    person: { readonly accountId: string; readonly mode?: Mode | undefined; readonly personId: string } & Waiting,
  ): Promise<PersonErasureReport>
  /** Erases personal data from all events published before `horizon`; in all accounts by default. */
  before(range: { readonly accountId?: string | undefined; readonly horizon: Date } & Waiting): Promise<ErasureReport>
}

export interface ErasureOptions {
  readonly formats: Formats
  readonly keyRing: KeyRing
  readonly store: MaintenanceStore
  readonly hooks: Pick<GuardedHooks, 'onError' | 'onErased'>
  readonly recorder: Recorder
}

export function createErasure({ formats, keyRing, store, hooks, recorder }: ErasureOptions): Erasure {
  const current = formats.shapes.map(({ type, fingerprint }) => ({ type, fingerprint }))

  /**
   * Redacts the text of an event that was stored before its type gained personal-data paths. Returns undefined to keep
   * the stored text. A text that Callboard did not write may hold personal data anywhere, so it loses all its `data`.
   */
  const bodyWithout = (event: ErasableEvent, now: Shape | undefined): string | undefined => {
    const { id, type, body, fingerprint } = event
    const isOwn = body.startsWith(`{"id":"${id}","type":"${type}","version":"`)
    try {
      if (isOwn && (now === undefined || now.fingerprint === fingerprintOfPaths(fingerprint))) return undefined
      if (isOwn && now !== undefined) return redactAgain(body, now.personalDataPaths)
    } catch {
      // The text is not compact JSON.
    }
    const emptied = withoutData(event)
    if (body !== emptied)
      hooks.onError(new Error(`Callboard did not write the text of the event ${id}, so all of its data was erased.`))
    return emptied
  }

  const digestsOf = (accountId: string, mode: Mode, personId: string): Promise<string[]> =>
    keyRing.digests(JSON.stringify(['person', accountId, mode, personId]))

  const eraseStep = async (events: readonly ErasableEvent[], since: string): Promise<ErasureCounts> => {
    const erased = events.map(async (event) => {
      const { accountId, mode, id, fingerprint, personId } = event
      const shape = formats.shapeOf(event)
      const [personDigest] = personId === undefined ? [] : await digestsOf(accountId, mode, personId)
      const body = bodyWithout(event, shape)
      const erasedAs = erasedFingerprint(shape?.fingerprint ?? fingerprintOfPaths(fingerprint))
      return { accountId, mode, id, from: fingerprint, fingerprint: erasedAs, body, personDigest }
    })
    return store.erase(await Promise.all(erased), since)
  }

  /** Waits for publishers, lets `work` find events to erase, and reports what was erased. */
  const eraseAll = async (
    waitMs: number,
    work: (erase: (events: readonly ErasableEvent[]) => Promise<void>) => Promise<void>,
  ): Promise<ErasureReport> => {
    assertWait(waitMs)
    const { since, stillOpen } = await waitForPublishers(store, waitMs)
    const accounts = new Map<string, AccountErasure>()
    try {
      await work(async (events) => {
        for (const accountId of new Set(events.map((event) => event.accountId))) {
          const own = events.filter((event) => event.accountId === accountId)
          for (let start = 0; start < own.length; start += ERASED_AT_ONCE) {
            const counts = await eraseStep(own.slice(start, start + ERASED_AT_ONCE), since)
            accounts.set(accountId, { accountId, ...sum(accounts.get(accountId) ?? NOTHING, counts) })
          }
        }
      })
    } finally {
      for (const { accountId, ...counts } of accounts.values()) {
        hooks.onErased({ accountId, ...counts })
        await recorder.record({ action: 'personal_data.erased', accountId, details: { ...counts } })
      }
    }
    const erased = [...accounts.values()]
    return { ...erased.reduce<ErasureCounts>(sum, NOTHING), accounts: erased, openTransactions: stillOpen }
  }

  const countUnattributed = async (accountId: string, modes: readonly Mode[]): Promise<Map<string, number>> => {
    const counts = new Map<string, number>()
    for (const mode of modes) {
      let after: string | undefined
      do {
        const step = await store.countUnattributed({ accountId, mode, current, after, limit: COUNTED_AT_ONCE })
        for (const [type, events] of step.types) counts.set(type, (counts.get(type) ?? 0) + events)
        after = step.next
      } while (after !== undefined)
    }
    return counts
  }

  return {
    async person({ accountId, mode, personId, waitMs = WAIT_MS }) {
      assertAccountId('accountId', accountId)
      assertText('personId', personId, { min: 0, max: Number.POSITIVE_INFINITY })
      const modes = mode === undefined ? MODES : [mode]
      const report = await eraseAll(waitMs, async (erase) => {
        for (const each of modes) {
          const personDigests = await digestsOf(accountId, each, personId)
          const person = { accountId, mode: each, personId, personDigests }
          for (let left = true; left; ) {
            const events = await store.eventsOfPerson(person, current, ERASED_AT_ONCE)
            await erase(events)
            left = events.length === ERASED_AT_ONCE
          }
        }
      })
      const unattributed = await countUnattributed(accountId, modes)
      return { ...report, unattributed: [...unattributed].map(([type, events]) => ({ type, events })) }
    },

    async before({ accountId, horizon, waitMs = WAIT_MS }) {
      if (accountId !== undefined) assertAccountId('accountId', accountId)
      assertDate('horizon', horizon)
      const walk = { accountId, publishedBefore: horizon, current, limit: WALKED_AT_ONCE }
      return eraseAll(waitMs, async (erase) => {
        let after: EventKey | undefined
        do {
          const step = await store.eventsBefore({ ...walk, after })
          await erase(step.events)
          after = step.next
        } while (after !== undefined)
      })
    },
  }
}

/** Returns the text of an event with no `data`, and otherwise unchanged as far as the text is JSON. */
function withoutData({ id, type, body }: ErasableEvent): string {
  let envelope: unknown
  try {
    envelope = JSON.parse(body)
  } catch {
    // Nothing of the text can be kept.
  }
  const { version, ...rest }: { version?: unknown } = typeof envelope === 'object' ? { ...envelope } : {}
  return JSON.stringify({ id, type, version, ...rest, data: {} })
}

const NOTHING: ErasureCounts = { events: 0, late: 0, responses: 0 }

function sum(a: ErasureCounts, b: ErasureCounts): ErasureCounts {
  return { events: a.events + b.events, late: a.late + b.late, responses: a.responses + b.responses }
}

function assertWait(waitMs: number): void {
  if (!(Number.isFinite(waitMs) && waitMs >= 0))
    throw validationFailed({ path: 'waitMs', code: 'RANGE', message: 'waitMs must be a number of milliseconds.' })
}
