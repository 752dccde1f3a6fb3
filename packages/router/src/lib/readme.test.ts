/// <reference types="node" />
import { readFileSync } from 'node:fs'
import { createCallboard, defineCatalog } from '@callboard/core'
import { createMemoryStore } from '@callboard/store-memory'
import { expect, it } from 'vitest'
import { createRouter } from './router.ts'

const catalog = defineCatalog({ version: '2026-10-01', types: [] })
const secretKeys = { current: 'k1', keys: { k1: new Uint8Array(32).fill(7) } }

it('the example in the README runs', async () => {
  const callboard = createCallboard({ catalog, store: createMemoryStore(), secretKeys })
  const { fetch } = createRouter(callboard, { basePath: '/api' })

  await callboard.accounts.create({ id: 'acc_1', name: 'Harbour Hall' })
  const { token } = await callboard.keys.issue({ accountId: 'acc_1', name: 'Zapier', scopes: ['webhooks.read'] })

  const request = new Request('https://example.com/api/v1/me', { headers: { authorization: `Bearer ${token}` } })
  const response = await fetch(request)

  expect(response.status).toBe(200)
  const entity = { id: 'acc_1', name: 'Harbour Hall' }
  expect(await response.json()).toMatchObject({ entity, scopes: ['webhooks.read'] })
})

it('the document can be written to a file as in the README', async () => {
  const callboard = createCallboard({ catalog, store: createMemoryStore(), secretKeys })
  const written: string[] = []
  const writeFile = async (...file: string[]) => written.push(...file)

  const { openapi } = createRouter(callboard, { openapi: { path: false, info: { title: 'Harbour Hall' } } })
  await writeFile('openapi.json', JSON.stringify(await openapi(), null, 2))

  expect(written).toEqual(['openapi.json', expect.stringContaining('"title": "Harbour Hall"')])
})

// The tests of examples/mount check the README's lines for Next.
it('every line of code in the README, except in the section on Next, is also in this file', () => {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8').replace(
    /^## In Next$.*?(?=^## )/ms,
    '',
  )
  const here = readFileSync(new URL(import.meta.url), 'utf8')
  const examples = [...readme.matchAll(/```ts\n(.*?)```/gs)].flatMap(([, example = '']) => example.split('\n'))
  const lines = examples.map((line) => line.replace(/ \/\/ .*/, '').trim()).filter((line) => line !== '')
  expect(lines).toHaveLength(8)
  for (const line of lines) expect(here).toContain(line)
})
