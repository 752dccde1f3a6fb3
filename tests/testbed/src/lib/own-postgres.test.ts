import { Client } from 'pg'
import { expect, it } from 'vitest'
import { startOwnPostgres } from './own-postgres.ts'

it('a server that crashes with open connections restarts at the same address with all committed data', async () => {
  const server = await startOwnPostgres({ settings: { max_connections: '12' } })
  const client = new Client({ connectionString: server.url })
  await client.connect()
  await client.query('create table kept as select 1 as n')
  // `on`, not `once`: the `pg` client emits more than one error when it loses its connection.
  const lost = new Promise((resolve) => client.on('error', resolve))
  await server.crash()
  expect(await lost).toBeInstanceOf(Error)
  await server.start()
  const next = new Client({ connectionString: server.url })
  await next.connect()
  expect((await next.query('select * from kept')).rows).toEqual([{ n: 1 }])
  expect((await next.query('show max_connections')).rows).toEqual([{ max_connections: '12' }])
  await next.end()
  await server.stop()
})
