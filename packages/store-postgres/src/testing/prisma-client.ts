import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { copyFile, mkdir, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { PrismaPg } from '@prisma/adapter-pg'
import type { PrismaPGlite } from 'pglite-prisma-adapter'
import type { PrismaTransaction } from '../lib/transactions/from-prisma.ts'

interface OrdersTransaction extends PrismaTransaction {
  readonly order: { create(input: { data: { buyerEmail: string } }): Promise<unknown> }
}

/** The part of the generated client that the tests use. */
export interface OrdersClient {
  $transaction(work: (tx: OrdersTransaction) => Promise<void>, options: { timeout: number }): Promise<void>
  $disconnect(): Promise<void>
}

interface Generated {
  readonly PrismaClient: new (options: { adapter: PrismaPg | PrismaPGlite }) => OrdersClient
}

let generated: Promise<Generated> | undefined

/** Opens a Prisma client for `schema.prisma`. The first call generates the client's code, which takes a second. */
export async function openPrisma(adapter: PrismaPg | PrismaPGlite): Promise<OrdersClient> {
  generated ??= generate()
  const { PrismaClient } = await generated
  return new PrismaClient({ adapter })
}

/**
 * Generates into a folder of its own, because test files run concurrently. The folder is within this package, because
 * the generated client needs the package's dependencies.
 */
async function generate(): Promise<Generated> {
  const prisma = createRequire(import.meta.url).resolve('prisma/build/index.js')
  const folder = new URL(`../../.generated/${randomUUID()}/`, import.meta.url)
  const schema = new URL('schema.prisma', folder)
  await mkdir(folder, { recursive: true })
  try {
    await copyFile(new URL('schema.prisma', import.meta.url), schema)
    await promisify(execFile)(process.execPath, [prisma, 'generate', '--schema', fileURLToPath(schema)], {
      // Prisma needs no engine to generate a client, but would look for one on the network if no path were set. This
      // path is arbitrary.
      env: { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, CHECKPOINT_DISABLE: '1' },
    })
    return await import(new URL('client/client.ts', folder).href)
  } finally {
    await rm(folder, { recursive: true })
  }
}
