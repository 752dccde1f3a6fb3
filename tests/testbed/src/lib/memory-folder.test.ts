import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { removeLeftovers } from './memory-folder.ts'

/** Above the highest process id of any system. */
const DEAD = 2 ** 30

it('removes what killed processes left, but neither the data of a running server nor what others have', async () => {
  const within = await mkdtemp(join(tmpdir(), 'leftovers-'))
  onTestFinished(() => rm(within, { recursive: true }))
  const add = async (name: string, server?: number) => {
    await mkdir(join(within, name, 'data'), { recursive: true })
    if (server !== undefined) await writeFile(join(within, name, 'data', 'postmaster.pid'), `${server}\n/data\n`)
  }
  await add(`own-${DEAD}-empty`)
  await add(`own-${DEAD}-stopped`, DEAD)
  await add(`own-${DEAD}-running`, process.pid)
  await add(`own-${process.pid}-starting`)
  await add(`other-${DEAD}-empty`)
  // Processes that start at the same time remove the same folders.
  await Promise.all([removeLeftovers('own-', within), removeLeftovers('own-', within)])
  expect((await readdir(within)).sort()).toEqual(
    [`other-${DEAD}-empty`, `own-${DEAD}-running`, `own-${process.pid}-starting`].sort(),
  )
})
