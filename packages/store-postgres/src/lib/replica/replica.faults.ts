import { describeStore } from '@callboard/store-conformance'
import { type PostgresCluster, startPostgresCluster } from '@callboard/testbed'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { inSchemas, postgresFixtures } from '../../testing/postgres-fixtures.ts'

let cluster: PostgresCluster

beforeAll(async () => {
  cluster = await startPostgresCluster()
})

afterAll(() => cluster.stop())

const NAME = 'conformance'

const on = (server: string): string => {
  const url = new URL(server)
  url.pathname = `/${NAME}`
  return url.href
}

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  return (await client.query(text).finally(() => client.end())).rows
}

async function createDatabase(): Promise<string> {
  await query(cluster.primary.url, `create database ${NAME}`)
  return on(cluster.primary.url)
}

describeStore(
  'postgres with a replica',
  postgresFixtures(inSchemas(createDatabase), { onReplica: () => on(cluster.standby.url) }),
)

it('the store has read hundreds of pages from the replica', async () => {
  // Leaves out one transaction per session, because each connection first asks for its process id.
  const count = 'select (xact_commit - sessions)::int as n from pg_stat_database where datname = current_database()'
  await expect.poll(async () => (await query(on(cluster.standby.url), count))[0]?.['n']).toBeGreaterThan(200)
})
