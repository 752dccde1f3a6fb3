import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cliWorld } from '../../../test/cli-world.ts'
import type { CatalogDocument } from '../catalog/catalog-document.ts'

const world = cliWorld()
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'callboard-catalog-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Saves the catalogue, lets `change` alter the saved file, and compares the catalogue with the altered file. */
async function diffAfter(
  change: (saved: {
    versions: { version: string; types: { name: string; personalDataPaths: string[]; schema: object }[] }[]
  }) => void,
) {
  const file = join(folder, 'catalog.json')
  await world.run(['catalog', 'save', file])
  const saved = JSON.parse(await readFile(file, 'utf8'))
  change(saved)
  await writeFile(file, JSON.stringify(saved))
  return world.run(['catalog', 'diff', file])
}

const ORDER_PAID = {
  name: 'order.paid',
  title: 'Order paid',
  description: 'An order was paid in full.',
  personalDataPaths: ['order.buyer.email'],
}

describe('callboard catalog', () => {
  it('lists the event types with their texts', async () => {
    expect((await world.run('catalog list')).stdout).toMatch(
      /^order\.paid +Order paid +orders +order\.buyer\.email +An order was paid in full\.$/m,
    )
  })

  it('saves every version with its types, and finds no change in what it saved', async () => {
    const document = (await world.json('catalog save')) as CatalogDocument
    expect(document.versions).toMatchObject([
      { version: '2026-10-01', types: [ORDER_PAID] },
      { version: '2026-04-01', deprecated: '2026-10-01', sunset: '2027-10-01' },
    ])
    expect(await diffAfter(() => undefined)).toEqual({ code: 0, stdout: '', stderr: 'Nothing has changed.\n' })
  })

  it('accepts a new version beside the former ones', async () => {
    const { code, stdout } = await diffAfter((saved) => {
      saved.versions.shift()
    })
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^safe +2026-10-01 +- +- +was added$/m)])
  })

  it('exits with 1 if a field, a type or a version was removed, or a field became personal', async () => {
    const { code, stdout, stderr } = await diffAfter(({ versions }) => {
      const [current] = versions
      const [type] = current!.types
      current!.types = [
        { ...type!, personalDataPaths: [], schema: { type: 'object', properties: { gone: { type: 'string' } } } },
        { ...type!, name: 'order.lost' },
      ]
      versions.push({ version: '2025-01-01', types: [] })
    })
    expect(code).toBe(1)
    expect(stdout).toMatch(/^breaks +2026-10-01 +order\.paid +gone +was removed$/m)
    expect(stdout).toMatch(/^safe +2026-10-01 +order\.paid +order +was added$/m)
    expect(stdout).toMatch(/^breaks +2026-10-01 +order\.paid +order\.buyer\.email +is personal data now/m)
    expect(stdout).toMatch(/^breaks +2026-10-01 +order\.lost +- +was removed$/m)
    expect(stdout).toMatch(
      /^breaks +2025-01-01 +- +- +was removed: keys and subscriptions pinned to it get another version$/m,
    )
    expect(stderr).toContain('4 of 5 changes can break receivers.')
  })

  it('needs the catalogue but no database, and refuses a file that it did not write', async () => {
    const env = { DATABASE_URL: 'postgres://127.0.0.1:1/none' }
    expect((await world.run('catalog save', { env })).code).toBe(0)
    expect((await world.runWithoutConfig('catalog save')).code).toBe(2)
    expect(await world.run('catalog diff nowhere.json')).toMatchObject({
      code: 1,
      stderr: 'error: nowhere.json cannot be read.\n',
    })
    const file = join(folder, 'other.json')
    await writeFile(file, '{"versions":{}}')
    expect((await world.run(['catalog', 'diff', file])).stderr).toContain(
      'is not a catalogue that "catalog save" wrote',
    )
  })
})
