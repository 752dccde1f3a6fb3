// A platform that starts when its first request arrives, with a catalogue of one type, a store, an account and a key.
// The clock starts before the imports.
const since = performance.now()
const { createCallboard, defineCatalog, defineEventType } = await import('@callboard/core')
const { createRouter } = await import('@callboard/router')
const { createMemoryStore } = await import('@callboard/store-memory')
const { looseObject } = await import('zod')

const paid = defineEventType({
  name: 'order.paid',
  family: 'orders',
  descriptionKey: 'events.order_paid',
  schema: looseObject({}),
  sample: { total: 1250 },
  personalDataPaths: [],
})
const callboard = createCallboard({
  catalog: defineCatalog({ version: '2026-10-01', types: [paid] }),
  store: createMemoryStore(),
  secretKeys: { current: 'k1', keys: { k1: new Uint8Array(32).fill(7) } },
})
await callboard.accounts.create({ id: 'org_1', name: 'One' })
const { token } = await callboard.keys.issue({ accountId: 'org_1', name: 'cold', scopes: ['webhooks.read'] })
const headers = { authorization: `Bearer ${token}` }
const response = await createRouter(callboard).fetch(new Request('http://localhost/v1/events', { headers }))
const answer = await response.text()
if (!response.ok) throw new Error(answer)
console.log(performance.now() - since)
