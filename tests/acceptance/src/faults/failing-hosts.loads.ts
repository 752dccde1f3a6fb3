import { setTimeout as delay } from 'node:timers/promises'
import { engineOf } from '@callboard/core/engine'
import { type Answer, startReceiver } from '@callboard/testbed'
import { describe, expect } from 'vitest'
import { newCaller, orderPaidEvent } from '../arrange.ts'
import { facadeIt } from '../on-each-store.ts'
import { postgresFixtures } from '../stores.ts'
import { startWorkerChild } from '../worker-child.ts'

const SUBSCRIPTIONS = 40
/** More events than a worker can deliver to all subscriptions until `UNTIL_MS`. */
const EVENTS = 900
/** Requests are counted from this time on, in milliseconds since the first one: the limit has been learnt by then. */
const FROM_MS = 5_000
/** Requests are counted from this time on if only some subscriptions overload, because the limit then rises slowly. */
const LATER_MS = 12_000
const UNTIL_MS = 15_000

interface Row {
  /** Returns the failure with which a subscription's next request ends; undefined for a 200. */
  readonly failing: (subscription: number) => Answer | undefined
  /** `FROM_MS` by default. */
  readonly fromMs?: number | undefined
  /** The smallest allowed share of the requests per second without errors. */
  readonly least: number
}

/** Fails this share of the requests, evenly spread. */
function spread(share: number, failure: Answer): () => Answer | undefined {
  let requests = 0
  // Multiples of the golden ratio, modulo 1, are spread evenly.
  return () => ((++requests * 0.618_034) % 1 < share ? failure : undefined)
}

/** Fails this share of the requests of the first subscriptions. */
function some(subscriptions: number, share: number, failure: Answer): Row['failing'] {
  const next = Array.from({ length: subscriptions }, () => spread(share, failure))
  return (subscription) => next[subscription]?.()
}

const WITHOUT_ERRORS = { failing: () => undefined }
/** How long an answer takes, in milliseconds. */
const ANSWER_MS = 200
const ROWS: Readonly<Record<string, Row>> = {
  '2 % are 500': { failing: spread(0.02, { status: 500 }), least: 0.8 },
  '5 % are 500': { failing: spread(0.05, { status: 500 }), least: 0.8 },
  '2 % are 503': { failing: spread(0.02, { status: 503 }), least: 0.8 },
  '5 % are reset': { failing: spread(0.05, 'drop'), least: 0.8 },
  '4 of 40 subscriptions get 503 for a fifth': {
    failing: some(4, 0.2, { status: 503 }),
    fromMs: LATER_MS,
    least: 0.6,
  },
  '2 of 40 subscriptions always get 503': { failing: some(2, 1, { status: 503 }), fromMs: LATER_MS, least: 0.6 },
}

describe('a host that sometimes fails', () => {
  const it = facadeIt(postgresFixtures())

  it('gets almost as many requests as without its failures', async ({ fixture, open }) => {
    const callboard = open({ targets: { allowedCidrs: ['127.0.0.0/8'], allowedPorts: 'any' } })
    let accounts = 0

    /** How many requests per second a new host gets from a new worker, and how many are open at most. */
    const measure = async ({ failing, fromMs = FROM_MS }: Omit<Row, 'least'>) => {
      const receiver = await startReceiver()
      const accountId = `account-${++accounts}`
      await callboard.accounts.create({ id: accountId, name: accountId })
      const caller = await newCaller(callboard, { accountId })
      let [first, counted, now, most] = [0, 0, 0, 0]
      const answer = (subscription: number): Answer => {
        if (first === 0) first = performance.now()
        const at = performance.now() - first
        if (at >= fromMs && at < UNTIL_MS) counted++
        const failure = failing(subscription)
        if (failure === 'drop') return failure
        most = Math.max(most, ++now)
        const status = typeof failure === 'object' && 'status' in failure ? failure.status : 200
        return { status, after: delay(ANSWER_MS).then(() => void now--) }
      }
      for (let n = 0; n < SUBSCRIPTIONS; n++) {
        receiver.answer(`/${n}`, () => answer(n))
        const targetUrl = receiver.url(`/${n}`)
        await engineOf(callboard).apiSubscriptions.create(caller, {
          targetUrl,
          eventTypes: ['order.paid'],
          integration: 'zapier',
        })
      }
      await callboard.publishMany(Array.from({ length: EVENTS }, () => orderPaidEvent({ accountId })))
      const { url, schema } = fixture
      const worker = startWorkerChild({ url, schema, ca: receiver.ca, pool: { max: 5 }, worker: { graceMs: 0 } })
      await worker.started
      while (first === 0 || performance.now() - first < UNTIL_MS) await delay(50)
      worker.signal('SIGTERM')
      await worker.ended
      await receiver.stop()
      await callboard.accounts.delete({ id: accountId })
      return { perSecond: Math.round((1_000 * counted) / (UNTIL_MS - fromMs)), most }
    }

    const told = (name: string, { perSecond, most }: Awaited<ReturnType<typeof measure>>): void =>
      void process.stdout.write(`requests at a host, ${name}: ${perSecond}/s, at most ${most} open\n`)

    const [usual, failing] = [await measure(WITHOUT_ERRORS), new Map<string, number>()]
    told('without errors', usual)
    for (const [name, row] of Object.entries(ROWS)) {
      const measured = await measure(row)
      told(name, measured)
      failing.set(name, measured.perSecond / row.least)
    }
    const again = await measure(WITHOUT_ERRORS)
    told('without errors, again', again)
    const without = (usual.perSecond + again.perSecond) / 2
    for (const [name, perSecond] of failing) expect(perSecond, name).toBeGreaterThanOrEqual(without)
  })
})
