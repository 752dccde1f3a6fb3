// Runs on any runtime. Compares our transport with the runtime's `fetch`, with ten requests in flight to one target, as
// a worker has for one subscription.
import { readFileSync } from 'node:fs'
import process from 'node:process'
import { createHttpsTransport } from '@callboard/delivery'
import { alternate, type Rounds } from '../lib/rounds.ts'
import { load, type Send } from './load.ts'
import { WEBHOOK } from './webhook.ts'

/** Requests per second, by round. */
export type RuntimeReport = Rounds<'ours' | 'fetch'>

const [url = '', ca = ''] = process.argv.slice(2)
const transport = createHttpsTransport({
  addressPolicy: { allowedCidrs: ['127.0.0.1/32'], allowedPorts: 'any' },
  extraCaCertificates: [readFileSync(ca, 'utf8')],
})
const perSecond = (send: Send) => async (): Promise<number> =>
  (await load(send, { targets: 1, inFlight: 10, ms: 700 })).perSecond

const report: RuntimeReport = await alternate({
  ours: perSecond(async () => {
    const outcome = await transport.send({ url, ...WEBHOOK })
    if (outcome.kind === 'failed') throw new Error(outcome.reason)
  }),
  fetch: perSecond(async () => {
    await (await fetch(url, { method: 'POST', ...WEBHOOK })).text()
  }),
})
transport.close()
process.stdout.write(JSON.stringify(report), () => process.exit())
