import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StartError } from '@callboard-examples/ticketing/demo'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ReceiverError } from './receiver-error.ts'
import { readSettings } from './settings.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'callboard-settings-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const kept = { url: 'http://localhost:8787', keyId: 'key_1', key: 'cb_live_kept' }

describe('readSettings', () => {
  it('reads the URL and the key that the last start of the platform stored', async () => {
    await writeFile(join(folder, 'demo.json'), JSON.stringify(kept))
    expect(await readSettings({ DATA_DIR: folder })).toMatchObject({
      access: { url: 'http://localhost:8787', key: 'cb_live_kept' },
      port: 8788,
      certificate: { cert: expect.stringContaining('BEGIN CERTIFICATE') },
    })
  })

  it('prefers the values in the environment to the stored values', async () => {
    await writeFile(join(folder, 'demo.json'), JSON.stringify(kept))
    const environment = { CALLBOARD_URL: 'https://api.example/', CALLBOARD_KEY: 'cb_live_mine', RECEIVER_PORT: '9000' }
    expect(await readSettings({ DATA_DIR: folder, ...environment })).toMatchObject({
      access: { url: 'https://api.example', key: 'cb_live_mine' },
      port: 9000,
    })
  })

  it('mentions DATA_DIR in its error if DATA_DIR is a file', async () => {
    const file = join(folder, 'afile')
    await writeFile(file, '')
    await expect(readSettings({ DATA_DIR: file })).rejects.toThrow(StartError)
    await expect(readSettings({ DATA_DIR: file })).rejects.toThrow('DATA_DIR must')
  })

  it.each([
    [{}, 'npm start'],
    [{ CALLBOARD_URL: 'http://localhost:8787' }, 'CALLBOARD_KEY'],
    [{ CALLBOARD_URL: 'localhost:8787', CALLBOARD_KEY: 'k' }, 'CALLBOARD_URL must'],
    [{ CALLBOARD_URL: 'http://localhost', CALLBOARD_KEY: 'k', RECEIVER_PORT: '70000' }, 'RECEIVER_PORT must'],
  ])('reports what is missing or wrong: %j', async (environment, words) => {
    const settings = readSettings({ DATA_DIR: folder, ...environment })
    await expect(settings).rejects.toThrow(ReceiverError)
    await expect(settings).rejects.toThrow(words)
  })
})
