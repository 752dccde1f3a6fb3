// A platform's tests under Jest load the packages with `await import`, for which Jest needs --experimental-vm-modules.
import assert from 'node:assert/strict'
import { test } from '@jest/globals'

test('answers a request', async () => {
  const { createCallboard, defineCatalog } = await import('@callboard/core')
  const { createRouter } = await import('@callboard/router')
  const { createMemoryStore } = await import('@callboard/store-memory')
  const callboard = createCallboard({
    catalog: defineCatalog({ version: '2026-10-01', types: [] }),
    store: createMemoryStore(),
    secretKeys: { current: 'k1', keys: { k1: new Uint8Array(32).fill(7) } },
  })
  const response = await createRouter(callboard).fetch(new Request('https://platform.example/v1/me'))
  assert.equal(response.status, 401)
})
