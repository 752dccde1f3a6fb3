// The least that a queue in Postgres can do: lease lanes, read their jobs, send them like the raw loop, record the
// attempts and move the cursors. It has no retries, no order, no personal data, no secrets and no limits.
import { Pool } from 'pg'
import { answer } from '../lib/helper.ts'
import { createSignedSender, type SignedSender } from '../lib/signed-sender.ts'
import type { ContenderOrder } from './contender.ts'

/** How many lanes are leased at a time. Of 16, 32 and 64, the queue was fastest with this number. */
const LANES = 32
const JOBS_AT_ONCE = 10
/** Leases are taken only for at least this many lanes, because small batches cost more per job. */
const LEASED_AT_ONCE = 8
const LINE = '\n'

interface Lane {
  readonly id: number
  readonly epoch: number
  readonly url: string
  /** The positions and bodies of the jobs, one per line. */
  readonly positions: string
  readonly bodies: string
}

interface Sent {
  readonly position: string
  readonly status: number
  readonly durationMs: number
  readonly answer: string
}

let pool: Pool
let sender: SignedSender
let held = 0
let settling = false
let waiting: { readonly lane: Lane; readonly sent: readonly Sent[] }[] = []
let wake: () => void = () => undefined

async function lease(limit: number): Promise<Lane[]> {
  const { rows } = await pool.query<Lane>({
    name: 'lease',
    text: `
      with due as (
        select id from queue_lane where not leased and head > cursor order by id limit $1 for update skip locked
      ),
      leased as (
        update queue_lane l set leased = true, epoch = l.epoch + 1 from due where l.id = due.id
        returning l.id, l.epoch, l.url, l.cursor
      )
      select l.id, l.epoch, l.url, j.positions, j.bodies from leased l cross join lateral (
        select string_agg(position::text, E'\\n' order by position) as positions,
          string_agg(body, E'\\n' order by position) as bodies
        from (
          select position, body from queue_job
          where lane = l.id and position > l.cursor order by position limit ${JOBS_AT_ONCE}
        ) j
      ) j`,
    values: [limit],
  })
  return rows
}

async function send({ url }: Lane, position: string, text: string): Promise<Sent> {
  const { status, durationMs, body } = await sender.send({ id: `evt_${position}`, url, body: Buffer.from(text) })
  return { position, status, durationMs, answer: body }
}

/** Settles all lanes that were sent while the previous statement ran, in one statement. */
async function settle(): Promise<void> {
  settling = true
  while (waiting.length > 0) {
    const batch = waiting
    waiting = []
    const attempts = batch.flatMap(({ lane, sent }) => sent.map((each) => ({ ...each, lane: lane.id })))
    await pool.query({
      name: 'settle',
      text: `
        with logged as (
          insert into queue_attempt (lane, position, status, duration_ms, answer)
          select * from unnest($1::int[], $2::bigint[], $3::smallint[], $4::int[], $5::text[])
        )
        update queue_lane l set leased = false, cursor = s.cursor
        from unnest($6::int[], $7::int[], $8::bigint[]) s (id, epoch, cursor)
        where l.id = s.id and l.epoch = s.epoch`,
      values: [
        attempts.map(({ lane }) => lane),
        attempts.map(({ position }) => position),
        attempts.map(({ status }) => status),
        attempts.map(({ durationMs }) => Math.round(durationMs)),
        attempts.map(({ answer }) => answer),
        batch.map(({ lane }) => lane.id),
        batch.map(({ lane }) => lane.epoch),
        batch.map(({ sent }) => sent.at(-1)?.position),
      ],
    })
    held -= batch.length
    wake()
  }
  settling = false
}

async function visit(lane: Lane): Promise<void> {
  const bodies = lane.bodies.split(LINE)
  const sent = await Promise.all(lane.positions.split(LINE).map((position, n) => send(lane, position, bodies[n] ?? '')))
  waiting.push({ lane, sent })
  if (!settling) void settle()
}

async function run(): Promise<void> {
  for (;;) {
    const wasIdle = held === 0
    const lanes = held > LANES - LEASED_AT_ONCE ? [] : await lease(LANES - held)
    if (lanes.length === 0 && wasIdle) return
    held += lanes.length
    for (const lane of lanes) void visit(lane)
    if (held > 0 && (lanes.length === 0 || held > LANES - LEASED_AT_ONCE))
      await new Promise<void>((resolve) => {
        wake = resolve
      })
  }
}

let done: Promise<void> | undefined

const start = ({ postgresUrl, ca }: ContenderOrder): void => {
  pool = new Pool({ connectionString: postgresUrl })
  sender = createSignedSender(ca)
  done = run()
}

answer({ start }, () => done)
