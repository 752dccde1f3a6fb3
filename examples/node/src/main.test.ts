import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describeExample, startExample } from '@callboard-examples/smoke'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const command = [process.execPath, 'examples/node/src/main.ts'] as const

describeExample('Node', command)

describe('a start that cannot succeed', () => {
  let dataDir: string
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'callboard-start-'))
  })
  afterAll(() => rm(dataDir, { recursive: true, force: true }))

  it.each([
    ['an invalid variable', { PORT: 'x' }, 'PORT must be a port from 0 to 65535.\n'],
    [
      'a file instead of the data folder',
      { DATA_DIR: process.execPath },
      `DATA_DIR must be a writable folder. ${process.execPath} is not: EEXIST.\n`,
    ],
    [
      'a database that does not answer',
      { DATABASE_URL: 'postgres://shop:hunter2@127.0.0.1:1/shop' },
      'Connecting to Postgres …\nThe database in DATABASE_URL (127.0.0.1:1/shop) cannot be reached: ECONNREFUSED.\n',
    ],
  ])('prints only the reason and exits with code 1 (%s)', async (_, environment, output) => {
    const started = startExample({ command, dataDir, environment })
    await expect(started).rejects.toThrow(new Error(`${process.execPath} exited with 1:\n${output}`))
  })

  it('prints the id of the process that has the data folder open', async () => {
    await writeFile(join(dataDir, 'postgres.lock'), String(process.pid))
    const started = startExample({ command, dataDir })
    await expect(started).rejects.toThrow(new RegExp(`exited with 1:\\n.+\\n.+ is in use by process ${process.pid}\\.`))
  })

  it('prints the number of a port that is in use', { timeout: 240_000 }, async () => {
    const holder = createServer().listen(0, '127.0.0.1')
    await once(holder, 'listening')
    const address = holder.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const started = startExample({ command, dataDir: join(dataDir, 'own'), environment: { PORT: String(port) } })
    await expect(started).rejects.toThrow(
      new RegExp(
        `exited with 1:\\n.+\\nPort ${port} is in use\\. Set PORT to another one, or to 0 for any free port\\.`,
      ),
    )
    holder.close()
  })
})
