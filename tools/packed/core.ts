// A platform publishes an event once, and reads it with and without its personal data. The program also uses the two
// other entry points: `store` is for authors of stores, and `engine` for packages that build on a Callboard object.
import assert from 'node:assert/strict'
import { createCallboard, isCallboardError } from '@callboard/core'
import { engineOf, judgeAddress } from '@callboard/core/engine'
import { isId, type Store } from '@callboard/core/store'
import { createMemoryStore } from '@callboard/store-memory'
import { catalog, paid, secretKeys } from './catalog.ts'

const callboard = createCallboard({ catalog, store: createMemoryStore(), secretKeys })
await callboard.accounts.create({ id: 'acc_1', name: 'Harbour Hall' })

const first = await callboard.publish({ ...paid('ord_1'), idempotencyKey: 'ord_1' })
const second = await callboard.publish({ ...paid('ord_1'), idempotencyKey: 'ord_1' })
assert.deepEqual([second.id, second.repeated], [first.id, true])
assert(isId('evt', first.id))

const event = { accountId: 'acc_1', id: first.id }
assert.doesNotMatch(JSON.stringify(await callboard.events.find(event)), /ada@example\.com/)
assert.match(JSON.stringify(await callboard.events.find({ ...event, personalData: true })), /ada@example\.com/)

const engine = engineOf(callboard)
const store: Store<unknown> = engine.store
assert.equal((await store.accounts.find('acc_1'))?.name, 'Harbour Hall')
const text = await engine.eventTexts.find(event)
assert.deepEqual(JSON.parse(text ?? ''), await callboard.events.find(event))

// @ts-expect-error data that does not fit the schema does not compile, and is refused at run time
const refusal: unknown = await callboard.publish({ ...paid('ord_2'), data: {} }).catch((error: unknown) => error)
assert(isCallboardError(refusal))
assert.equal(refusal.code, 'VALIDATION_FAILED')

assert.equal(judgeAddress('169.254.169.254'), false)
