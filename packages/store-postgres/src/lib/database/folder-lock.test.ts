import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createPostgresStore } from '../postgres-store.ts'
import { migrate } from '../schema/migrate.ts'
import { lockFolder } from './folder-lock.ts'

let home: string
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'callboard-folder-'))
})
afterAll(() => rm(home, { recursive: true }))

const child = new URL('../../testing/hold-folder.ts', import.meta.url)
const refused = (text: string) => ({ code: 'CONFIGURATION_INVALID', message: expect.stringContaining(text) })

describe('the folder of a PGlite', () => {
  it('is refused to migrate and ready while another process uses it, and taken over once that process was killed', async () => {
    const folder = join(home, 'shared')
    const holder = fork(child, [folder])
    await once(holder, 'message')
    const second = Object.assign(await PGlite.create(), { dataDir: `file://${folder}` })
    await expect(migrate(second)).rejects.toMatchObject(refused(`in use by process ${holder.pid}`))
    await expect(createPostgresStore({ pglite: second }).ready()).rejects.toMatchObject(refused('Stop it first'))
    holder.kill('SIGKILL')
    await once(holder, 'exit')
    await migrate(second)
    await createPostgresStore({ pglite: second }).ready()
    await second.close()
    expect((await readdir(home)).filter((name) => name.endsWith('.lock'))).toEqual([])
  })

  it('is refused to a second PGlite of the same process until the first is closed', async () => {
    const [first, second] = [{ closed: false }, { closed: false }].map((each) => ({
      ...each,
      dataDir: join(home, 'twice'),
      async close() {
        this.closed = true
      },
    })) as [Parameters<typeof lockFolder>[0], Parameters<typeof lockFolder>[0]]
    await lockFolder(first)
    await lockFolder(first)
    await expect(lockFolder(second)).rejects.toMatchObject(refused('another PGlite of this process'))
    await first.close?.()
    await lockFolder(second)
    await second.close?.()
  })

  it.each(['', 'x', '0', '999999999'])('is taken over from a holder that no longer runs (%s)', async (holder) => {
    const dataDir = join(home, `stale-${holder}`)
    await writeFile(`${dataDir}.lock`, holder)
    const pglite = { dataDir, close: async () => undefined }
    await lockFolder(pglite)
    await pglite.close()
  })

  it.each([undefined, '', 'memory://', 'memory://a', 'idb://shop', 'opfs-ahp://shop'])(
    'does not exist for the data directory %s',
    async (dataDir) => {
      for (let count = 0; count < 2; count++) await lockFolder({ dataDir })
    },
  )
})
