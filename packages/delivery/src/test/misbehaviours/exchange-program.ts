// Sends to the targets of a plan, on whichever runtime runs this program, and reports the outcomes.
import { createInterface } from 'node:readline'
import { createHttpsTransport } from '../../lib/http/https-transport.ts'
import type { Transport, TransportOutcome } from '../../lib/http/transport.ts'

export interface ExchangePlan {
  readonly ca: string
  /** A target that does nothing wrong. */
  readonly good: string
  /** The deadline for targets that hang. */
  readonly shortDeadlineMs: number
  /** How many targets the program sends to concurrently. */
  readonly atOnce: number
  readonly targets: readonly ExchangeTarget[]
  /** A target that answers after a delay. While it does, the whole program stalls for `stallMs`. */
  readonly late: { readonly url: string; readonly deadlineMs: number; readonly stallMs: number }
}

export interface ExchangeTarget {
  readonly name: string
  readonly url: string
  readonly sends: number
  /** Whether an attempt to this target ends only at its deadline. */
  readonly hangs: boolean
  /** Whether to wait a moment between requests. */
  readonly pause: boolean
}

/** The outcomes of the requests to one target, in order, and then the status of a request to the good target. */
export interface ExchangeReport {
  readonly name: string
  readonly outcomes: readonly TransportOutcome[]
  readonly after: number | undefined
}

const say = (report: ExchangeReport): void => void process.stdout.write(`${JSON.stringify(report)}\n`)
const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

async function main(plan: ExchangePlan): Promise<() => void> {
  const create = (deadlineMs: number, connectTimeoutMs: number): Transport =>
    createHttpsTransport({
      addressPolicy: { allowedCidrs: ['127.0.0.0/8'], allowedPorts: 'any' },
      extraCaCertificates: [plan.ca],
      resolve: async () => ['127.0.0.1'],
      deadlineMs,
      connectTimeoutMs,
    })
  const patient = create(20_000, 20_000)
  const hasty = create(plan.shortDeadlineMs, plan.shortDeadlineMs * 0.6)
  const body = new TextEncoder().encode('{"id":"evt_1"}')
  const send = (url: string, transport = patient): Promise<TransportOutcome> =>
    transport.send({ url, headers: { 'content-type': 'application/json' }, body })

  const targets = [...plan.targets]
  const serve = async (): Promise<void> => {
    for (let target = targets.shift(); target !== undefined; target = targets.shift()) {
      const { name, url, sends, hangs, pause } = target
      const transport = hangs ? hasty : patient
      const outcomes: TransportOutcome[] = []
      while (outcomes.length < sends) {
        if (pause && outcomes.length > 0) await wait(1_500)
        outcomes.push(await send(url, transport))
      }
      const after = await send(plan.good, transport)
      say({ name, outcomes, after: after.kind === 'response' ? after.status : undefined })
    }
  }
  await Promise.all(Array.from({ length: plan.atOnce }, serve))

  const impatient = create(plan.late.deadlineMs, plan.late.deadlineMs)
  await send(plan.late.url, impatient)
  const late = send(plan.late.url, impatient)
  await wait(plan.late.deadlineMs / 5)
  // Stalls in a `setImmediate` callback, because the event loop then runs the overdue timer of the deadline before it
  // reads the answer.
  await new Promise((resolve) => setImmediate(resolve))
  const end = performance.now() + plan.late.stallMs
  while (performance.now() < end);
  say({ name: 'late', outcomes: [await late], after: 200 })

  return () => {
    for (const transport of [patient, hasty, impatient]) void transport.close()
  }
}

const lines = createInterface({ input: process.stdin })
let close: Promise<() => void> | undefined
lines.on('line', async (line) => {
  // The first line is the plan. The second line tells the program to close all connections, and the end of the input
  // tells it to exit.
  if (close !== undefined) return (await close)()
  close = main(JSON.parse(line))
  await close
  process.stdout.write('{"name":"end","outcomes":[]}\n')
})
