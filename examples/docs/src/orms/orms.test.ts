import { execFile } from 'node:child_process'
import { copyFile, mkdir } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { startPostgres, type TestPostgres } from '@callboard/testbed'
import { MikroORM } from '@mikro-orm/postgresql'
import { PrismaPg } from '@prisma/adapter-pg'
import knexOn from 'knex'
import type { Pool } from 'pg'
import { DataSource } from 'typeorm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PrismaClient } from './prisma.ts'

interface Shop {
  sell(id: string, email: string): Promise<void>
  close(): Promise<unknown>
  /** The statements with which the library's schema tool would change the database. */
  changes?(): Promise<string>
}

let postgres: TestPostgres
let url: string
let pool: Pool

// Every module that creates Callboard is imported after the variables are set.
beforeAll(async () => {
  postgres = await startPostgres()
  url = await postgres.createDatabase()
  Object.assign(process.env, { DATABASE_URL: url, SECRET_KEY: Buffer.alloc(32, 7).toString('base64') })
  const { deploy } = await import('../operating/deploy.ts')
  await deploy(url)
  const { callboard, pool: own } = await import('../start/callboard.ts')
  await callboard.accounts.create({ id: 'acc_1', name: 'Harbour Hall' })
  await own.query('create table orders (id text primary key, email text not null)')
  pool = own
})
afterAll(async () => {
  await pool.end()
  await postgres.stop()
})

/** Generates the Prisma client, which takes a second. Prisma needs no engine for that, but would look for one online. */
async function generatePrisma(): Promise<new (options: { adapter: PrismaPg }) => PrismaClient & Disconnecting> {
  const folder = new URL('../../.generated/', import.meta.url)
  const schema = new URL('schema.prisma', folder)
  await mkdir(folder, { recursive: true })
  await copyFile(new URL('schema.prisma', import.meta.url), schema)
  const prisma = createRequire(import.meta.url).resolve('prisma/build/index.js')
  await promisify(execFile)(process.execPath, [prisma, 'generate', '--schema', fileURLToPath(schema)], {
    env: { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, CHECKPOINT_DISABLE: '1' },
  })
  return (await import(new URL('client/client.ts', folder).href)).PrismaClient
}
interface Disconnecting {
  $disconnect(): Promise<void>
}

const shops: Record<string, () => Promise<Shop>> = {
  async Knex() {
    const { sell } = await import('./knex.ts')
    const knex = knexOn({ client: 'pg', connection: url })
    return { sell: (id, email) => sell(knex, id, email), close: () => knex.destroy() }
  },
  async MikroORM() {
    const { config, sell } = await import('./mikro-orm.ts')
    const orm = await MikroORM.init(config)
    return {
      sell: (id, email) => sell(orm.em.fork(), id, email),
      changes: () => orm.schema.getUpdateSchemaSQL(),
      close: () => orm.close(),
    }
  },
  async Prisma() {
    const { sell } = await import('./prisma.ts')
    const prisma = new (await generatePrisma())({ adapter: new PrismaPg({ connectionString: url }) })
    return { sell: (id, email) => sell(prisma, id, email), close: () => prisma.$disconnect() }
  },
  async TypeORM() {
    const { Order, sell } = await import('./type-orm.ts')
    const dataSource = await new DataSource({ type: 'postgres', url, entities: [Order] }).initialize()
    return {
      sell: (id, email) => sell(dataSource, id, email),
      async changes() {
        const { upQueries } = await dataSource.driver.createSchemaBuilder().log()
        return upQueries.map(({ query }) => query).join('\n')
      },
      close: () => dataSource.destroy(),
    }
  },
}

/** Refuses orders of Bob, but only at the commit, when the event has been published. */
const REFUSE_BOB = `
  create function refuse() returns trigger language plpgsql as $$ begin raise 'refused at the commit'; end $$;
  create constraint trigger refuse_bob after insert on orders deferrable initially deferred
    for each row when (new.email = 'bob@example.com') execute function refuse()`

describe.each(Object.entries(shops))('the example for %s', (name, open) => {
  beforeAll(() => pool.query(REFUSE_BOB))
  afterAll(() => pool.query('drop function refuse cascade'))

  it('commits an order together with its event, and rolls back both', async () => {
    const shop = await open()
    const [sold, refused] = [`${name}_1`, `${name}_2`]
    await shop.sell(sold, 'ada@example.com')
    await expect(shop.sell(refused, 'bob@example.com')).rejects.toThrow('refused at the commit')
    const { rows } = await pool.query(
      `select orders.id, events.type from orders full join callboard.events on subject_id = orders.id
       where coalesce(orders.id, subject_id) = any ($1)`,
      [[sold, refused]],
    )
    expect(rows).toEqual([{ id: sold, type: 'order.paid' }])
    await shop.close()
  })
})

it.each(['MikroORM', 'TypeORM'])("the schema tool of %s leaves Callboard's schema alone", async (name) => {
  const shop = await shops[name]!()
  expect(await shop.changes?.()).toEqual('')
  await shop.close()
})
