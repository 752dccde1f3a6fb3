import assert from 'node:assert/strict'
import { createCallboard, createId, defineCatalog, defineEventType, definePreviousType } from '@callboard/core'
import { engineOf } from '@callboard/core/engine'
import type { EventText } from '@callboard/core/store'
import { createMemoryStore } from '@callboard/store-memory'
import * as z from 'zod'
import { figure, spread } from '../lib/format.ts'
import { alternate, median, ratios } from '../lib/rounds.ts'
import type { Section } from '../lib/section.ts'
import { shapes } from '../redaction/shapes.ts'

const ROUND_MS = 200
const ROUNDS = 9

const [shape] = shapes
assert.ok(shape !== undefined)
const { data, paths } = shape

const person = z.object({ id: z.string(), name: z.string().optional(), email: z.string().optional() })
const line = z.object({ name: z.string(), price: z.int(), attendee: person })
const order = z.object({ id: z.string(), buyer: person, note: z.string(), lines: z.array(line) })

const paid = defineEventType({
  name: 'order.paid',
  family: 'orders',
  descriptionKey: 'k',
  schema: z.object({ order }),
  sample: data,
  personalDataPaths: paths,
})
/** The first conversion step: renames the buyer, and adds a total to the order. */
const before = definePreviousType(paid, {
  schema: z.object({ order: order.omit({ buyer: true }).extend({ customer: person, total: z.int() }) }),
  sample: { order: { ...data.order, customer: data.order.buyer, total: 1 } },
  personalDataPaths: ['order.customer.name', 'order.customer.email'],
  down: ({ order: { id, buyer: customer, note, lines } }) => ({
    order: { id, note, lines, customer, total: lines.reduce((sum, { price }) => sum + price, 0) },
  }),
})
/** The second conversion step: renames the note. */
const long = definePreviousType(before, {
  schema: z.object({
    order: order.omit({ buyer: true, note: true }).extend({ customer: person, total: z.int(), remark: z.string() }),
  }),
  sample: { order: { ...data.order, customer: data.order.buyer, total: 1, remark: 'x' } },
  personalDataPaths: ['order.customer.name', 'order.customer.email'],
  down: ({ order: { note: remark, ...rest } }) => ({ order: { ...rest, remark } }),
})

const VERSIONS = ['2026-10-01', '2026-04-01', '2026-01-01'] as const
const catalog = defineCatalog({
  version: VERSIONS[0],
  types: [paid],
  previous: [
    { version: VERSIONS[1], types: [before] },
    { version: VERSIONS[2], types: [long] },
  ],
})

/**
 * Measures how many microseconds one call takes. Counts the bytes of each result, because V8 may join the parts of a
 * string only when its bytes are read.
 */
function micros(work: () => string): number {
  const start = performance.now()
  let done = 0
  let bytes = 0
  for (; performance.now() - start < ROUND_MS; done += 10)
    for (let i = 0; i < 10; i++) bytes += Buffer.byteLength(work())
  assert.ok(bytes > 0)
  return ((performance.now() - start) * 1000) / done
}

async function storedEvent(): Promise<{
  event: EventText
  render: (personalData: boolean, version: string) => string
}> {
  const store = createMemoryStore()
  const keys = { k1: new Uint8Array(32).fill(1) }
  const callboard = createCallboard({ catalog, store, secretKeys: { current: 'k1', keys } })
  await callboard.accounts.create({ id: 'acc', name: 'Harbour Hall' })
  const id = createId('evt')
  await callboard.publish({ accountId: 'acc', id, type: 'order.paid', subject: { type: 'order', id: 'ord_1' }, data })
  const event = await store.events.find('acc', 'live', id)
  assert.ok(event !== undefined)
  const { formats } = engineOf(callboard)
  return { event, render: (personalData, version) => formats.render(event, personalData, version) }
}

export const section: Section = {
  title: 'Converting events to a previous version',
  async measure({ quick }) {
    const { event, render } = await storedEvent()
    const [current, older, oldest] = VERSIONS
    const contenders = {
      'as stored, redacted': () => render(false, current),
      'as stored, with personal data': () => render(true, current),
      'one step, redacted': () => render(false, older),
      'one step, with personal data': () => render(true, older),
      'two steps, redacted': () => render(false, oldest),
      'JSON.parse and JSON.stringify of the same text': () => JSON.stringify(JSON.parse(event.body)),
    }
    const reached = await alternate(
      {
        stored: () => micros(contenders['as stored, redacted']),
        full: () => micros(contenders['as stored, with personal data']),
        step: () => micros(contenders['one step, redacted']),
        fullStep: () => micros(contenders['one step, with personal data']),
        steps: () => micros(contenders['two steps, redacted']),
        parse: () => micros(contenders['JSON.parse and JSON.stringify of the same text']),
      },
      quick ? 3 : ROUNDS,
    )
    const names = Object.keys(contenders)
    const rows = Object.values(reached).map((rounds, index) => [names[index] ?? '', spread(rounds)])
    return {
      tables: [{ columns: ['an event of 1 KB', 'µs'], rows }],
      goals: [
        { what: 'one step with personal data, in µs', atMost: 15, guard: 40, rounds: reached.fullStep },
        { what: 'one step without personal data, in µs', atMost: 15, guard: 40, rounds: reached.step },
      ],
      notes: [
        `The text has ${event.body.length} characters without personal data. One step takes ` +
          `${figure(median(ratios(reached.step, reached.parse)))} times as long as parsing and serialising the whole ` +
          'text once. A reader who gets an event in the version in which it was stored pays nothing: the text is ' +
          'returned without being parsed.',
      ],
    }
  },
}
