import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { lockFolder } from './database/folder-lock.ts'
import { readOrMake, replaceKept } from './kept-file.ts'
import { readOrMakeSecretKeys } from './secret-keys.ts'
import { StartError } from './start-error.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'callboard-kept-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

describe('a kept file', () => {
  it('is created only once, even by concurrent calls', async () => {
    const path = join(folder, 'deep', 'token')
    const texts = await Promise.all(['a', 'b', 'c'].map((text) => readOrMake(path, () => text)))
    expect(new Set(texts).size).toBe(1)
    expect(await readOrMake(path, () => 'd')).toBe(texts[0])
    expect(await readdir(join(folder, 'deep'))).toEqual(['token'])
  })

  it('can be replaced', async () => {
    const path = join(folder, 'token')
    await readOrMake(path, () => 'a')
    await replaceKept(path, 'b')
    expect(await readOrMake(path, () => 'c')).toBe('b')
  })
})

describe('the secret keys', () => {
  it('are the same at every start', async () => {
    const first = await readOrMakeSecretKeys(folder)
    expect(await readOrMakeSecretKeys(folder)).toEqual(first)
    expect(Buffer.from(String(first.keys['k1']), 'base64')).toHaveLength(32)
  })

  it('are not created again if their file cannot be parsed', async () => {
    await readOrMake(join(folder, 'secret-keys.json'), () => '{"current":')
    await expect(readOrMakeSecretKeys(folder)).rejects.toThrow(StartError)
  })
})

describe('a folder lock', () => {
  const path = (): string => join(folder, 'postgres')

  it('keeps other processes out while its holder runs', async () => {
    await readOrMake(`${path()}.lock`, () => String(process.ppid))
    await expect(lockFolder(path())).rejects.toThrow(new RegExp(`process ${process.ppid}`))
  })

  it.each(['', 'x', '0', '-1', '999999999'])('is taken over from a holder that no longer runs (%s)', async (holder) => {
    await readOrMake(`${path()}.lock`, () => holder)
    const unlock = await lockFolder(path())
    await unlock()
    expect(await readdir(folder)).toEqual([])
  })
})
