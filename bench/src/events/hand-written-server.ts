// The handler that a good engineer would write by hand for this one endpoint. Like Callboard, it finds the key by its
// hash, counts the request in three rate-limit windows, reads the page, and removes personal data unless the key has
// the scope for it. It has tables of its own.
import { hash } from 'node:crypto'
import { Pool } from 'pg'
import { answer } from '../lib/helper.ts'
import { listen } from '../lib/http-server.ts'
import type { ServerReplies } from './callboard-server.ts'

const LIMIT = 25
const WINDOWS = [1, 10, 60]
const MOST = 1_000_000_000

const admit = `
with key as (
  select token_hash, account_id, scopes, extract(epoch from now())::bigint as now
  from hand.keys where token_hash = $1
),
counted as (
  insert into hand.windows as w
  select token_hash, now / ${WINDOWS[0]}, 1, now / ${WINDOWS[1]}, 1, now / ${WINDOWS[2]}, 1 from key
  on conflict (token_hash) do update set
    used1 = case when w.start1 = excluded.start1 then w.used1 + 1 else 1 end, start1 = excluded.start1,
    used2 = case when w.start2 = excluded.start2 then w.used2 + 1 else 1 end, start2 = excluded.start2,
    used3 = case when w.start3 = excluded.start3 then w.used3 + 1 else 1 end, start3 = excluded.start3
  returning greatest(used1, used2, used3) as used
)
select account_id, scopes, used from key, counted`

// Orders by `e.id`, because a bare `id` would mean the output column `id`. That column is text, and no index is sorted
// by it.
const page = `
select body, id::text as id, date_part('epoch', occurred_at) as at from hand.events e
where account_id = $1 and mode = 'live' order by e.occurred_at desc, e.id desc limit ${LIMIT + 1}`

interface Key {
  readonly account_id: string
  readonly scopes: readonly string[]
  readonly used: number
}

interface EventRow {
  readonly body: string
  readonly id: string
  readonly at: number
}

const refused = (status: number): Response => new Response(null, { status })

async function readPage(pool: Pool, request: Request): Promise<Response> {
  const token = request.headers.get('authorization')?.slice('Bearer '.length) ?? ''
  const admitted = await pool.query<Key>({ name: 'admit', text: admit, values: [hash('sha256', token, 'buffer')] })
  const [key] = admitted.rows
  if (key === undefined) return refused(401)
  if (!key.scopes.includes('webhooks.read')) return refused(403)
  if (key.used > MOST) return refused(429)
  const found = await pool.query<EventRow>({ name: 'page', text: page, values: [key.account_id] })
  const rows = found.rows.slice(0, LIMIT)
  const last = rows.at(-1)
  const hasMore = found.rows.length > LIMIT
  const nextCursor = hasMore && last !== undefined ? btoa(`${last.at} ${last.id}`) : null
  const bodies = key.scopes.includes('people.read') ? rows.map(({ body }) => body) : rows.map(withoutPersonalData)
  const body = `{"data":[${bodies.join(',')}],"nextCursor":${JSON.stringify(nextCursor)},"hasMore":${hasMore}}`
  return new Response(body, { headers: { 'content-type': 'application/json' } })
}

function withoutPersonalData({ body }: EventRow): string {
  const event = JSON.parse(body)
  delete event.data.buyer.name
  delete event.data.buyer.email
  return JSON.stringify(event)
}

const replies: ServerReplies = {
  serve(connectionString) {
    const pool = new Pool({ connectionString })
    return listen((request) => readPage(pool, request))
  },
}
answer(replies)
