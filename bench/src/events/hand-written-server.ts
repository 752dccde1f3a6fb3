import { Pool } from 'pg'
import { serveParent } from '../lib/serve.ts'

const pool = new Pool({ connectionString: process.argv[2] })
const ACCOUNT = 'acc_1'
const LIMIT = 25

// The fastest handler that one would write in an afternoon: one prepared statement, bodies joined as strings, nothing
// parsed. The statement orders by `e.id`, because a bare `id` would mean the output column `id`. That column is text,
// and no index is sorted by it.
const text = `
select body, id::text as id, date_part('epoch', occurred_at) as at from callboard.events e
where account_id = $1 and mode = 'live' order by e.occurred_at desc, e.id desc limit ${LIMIT + 1}`

serveParent(async () => {
  const { rows } = await pool.query<{ body: string; id: string; at: number }>({
    name: 'page',
    text,
    values: [ACCOUNT],
  })
  const hasMore = rows.length > LIMIT
  const page = rows.slice(0, LIMIT)
  const last = page.at(-1)
  const nextCursor = hasMore && last !== undefined ? btoa(`${last.at} ${last.id}`) : null
  const body = `{"data":[${page.map((row) => row.body).join(',')}],"nextCursor":${JSON.stringify(nextCursor)},"hasMore":${hasMore}}`
  return new Response(body, { headers: { 'content-type': 'application/json' } })
})
