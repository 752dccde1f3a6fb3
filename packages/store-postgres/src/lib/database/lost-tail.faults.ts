import { type FeedPlace, idFromUuid } from '@callboard/core/store'
import { type ReplicablePostgres, startOwnPostgres } from '@callboard/testbed'
import { Pool } from 'pg'
import { expect, it } from 'vitest'
import { eventDraft } from '../../testing/inputs.ts'
import { migratedStore } from '../../testing/migrated-store.ts'

/** With these settings, a commit reaches the disk only with the next checkpoint. */
const COMMITS_LATER = {
  synchronous_commit: 'off',
  wal_writer_delay: '10s',
  bgwriter_lru_maxpages: '0',
  checkpoint_timeout: '1h',
  autovacuum: 'off',
}

/** Prepares the loss of what is committed from now on, and returns a function that causes the loss. */
type Prepare = (server: ReplicablePostgres, pool: Pool) => Promise<() => Promise<void>>

const killServer: Prepare = async (server, pool) => {
  await pool.query('checkpoint')
  return async () => {
    await server.crash()
    await server.start()
  }
}
/** The postmaster keeps running, so its start time does not change. */
const killBackend: Prepare = async (_server, pool) => {
  await pool.query('checkpoint')
  return async () => {
    const { rows } = await pool.query('select pg_backend_pid() as pid')
    process.kill(rows[0].pid, 'SIGKILL')
  }
}
const restoreBackup: Prepare = (server) => server.backUp()

it.for<readonly [string, Prepare]>([
  ['a crash of the server', killServer],
  ['a crash of one of its backends', killBackend],
  ['the restoration of a backup', restoreBackup],
])(
  'sequences every event in order at the next pass, and hides none from a reader of the feed, after %s has set outbox numbers and positions back',
  async ([, prepare]) => {
    const server = await startOwnPostgres({ settings: COMMITS_LATER })
    const pool = new Pool({ connectionString: server.url })
    pool.on('error', () => undefined)
    const store = await migratedStore(pool)
    const publish = async (count: number): Promise<string[]> => {
      const drafts = Array.from({ length: count }, () => eventDraft())
      for (const draft of drafts) await store.events.publishDrafts([draft])
      return drafts.map(({ id }) => id)
    }
    const feed = async (): Promise<string[]> =>
      (await pool.query('select event_id from callboard.feed order by position')).rows.map(({ event_id }) =>
        idFromUuid('evt', event_id),
      )
    const lastNumber = async (): Promise<number> =>
      Number((await pool.query('select last_value from callboard.outbox_queued_seq')).rows[0].last_value)
    const connected = (): Promise<boolean> =>
      pool.query('select').then(
        () => true,
        () => false,
      )

    /** Reads the feed to its end. */
    const follow = async (after?: FeedPlace): Promise<{ place: FeedPlace; ids: string[]; truncated: boolean[] }> => {
      const ids: string[] = []
      const truncated: boolean[] = []
      for (let place = after; ; ) {
        const start = place === undefined ? ({ at: 'end' } as const) : ({ at: 'place', place } as const)
        const owner = { accountId: 'a', mode: 'live', types: undefined } as const
        const read = { ...owner, start, limit: 100, horizonMs: 1e12, personalData: false }
        const [page] = await store.events.readFeed([read])
        if (page === undefined) throw new Error('no page')
        ids.push(...page.events.map(({ id }) => id))
        truncated.push(page.truncated)
        if (!page.hasMore) return { place: page.place, ids, truncated }
        place = page.place
      }
    }

    const early = await publish(2)
    await store.deliveries.sequence(500)
    const { place: beginning } = await follow()
    const lose = await prepare(server, pool)
    await expect.poll(connected, { timeout: 30_000 }).toBe(true)
    // Nothing is lost yet, even if the server was restarted.
    expect(await follow(beginning)).toEqual({ place: expect.anything(), ids: [], truncated: [false] })
    for (let pass = 0; pass < 4; pass++) {
      await publish(40)
      expect((await store.deliveries.sequence(500)).sequenced).toBe(40)
    }
    const before = await lastNumber()
    const whole = await follow(beginning)
    expect(whole.ids).toHaveLength(160)
    let { place } = whole
    await lose()
    await expect.poll(() => pool.totalCount, { timeout: 30_000 }).toBe(0)
    await expect.poll(connected, { timeout: 30_000 }).toBe(true)
    expect(await lastNumber()).toBeLessThan(before - 80)

    const published: string[] = []
    const seen: string[] = []
    const told: boolean[] = []
    // The first passes see only numbers below those that were lost. The last pass also sees higher numbers.
    for (const count of [10, 10, 160]) {
      published.push(...(await publish(count)))
      await store.deliveries.sequence(500)
      const sequenced = await feed()
      expect(sequenced.slice(sequenced.indexOf(published[0] ?? ''))).toEqual(published)
      const read = await follow(place)
      place = read.place
      seen.push(...read.ids)
      told.push(...read.truncated)
    }
    expect(told).toEqual([true, false, false, false])
    expect(seen.slice(0, 2)).toEqual(early)
    expect(seen.slice(seen.indexOf(published[0] ?? ''))).toEqual(published)
    await pool.end()
    await server.stop()
  },
)
