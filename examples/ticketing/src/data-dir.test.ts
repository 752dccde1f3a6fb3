import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { prepareDataDir } from './data-dir.ts'
import { StartError } from './start-error.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'callboard-data-dir-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const refused = (dataDir: string, code: string) =>
  expect(prepareDataDir(dataDir)).rejects.toThrow(
    new StartError(`DATA_DIR must be a writable folder. ${dataDir} is not: ${code}.`),
  )

describe('prepareDataDir', () => {
  it('creates a folder that only its owner can read, and accepts an existing folder', async () => {
    const dataDir = join(folder, 'deep', 'data')
    await prepareDataDir(dataDir)
    await prepareDataDir(dataDir)
    expect((await stat(dataDir)).mode & 0o077).toBe(0)
  })

  it('throws an error that shows the path if the path is a file or lies below one', async () => {
    const file = join(folder, 'afile')
    await writeFile(file, '')
    await refused(file, 'EEXIST')
    await refused(join(file, 'data'), 'ENOTDIR')
  })
})
