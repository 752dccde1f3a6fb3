import { randomBytes } from 'node:crypto'
import { signSync, verify, verifySync } from '@callboard/signature'
import { Webhook } from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'
import { spread } from '../lib/format.ts'
import { alternate, ratios } from '../lib/rounds.ts'
import type { Goal, Section } from '../lib/section.ts'

const ROUND_MS = 500

/** Verifications in a second, measured for half a one. */
async function perSecond(work: () => unknown): Promise<number> {
  const start = performance.now()
  let done = 0
  for (; performance.now() - start < ROUND_MS; done += 100) for (let i = 0; i < 100; i++) await work()
  return (done * 1000) / (performance.now() - start)
}

export const section: Section = {
  title: 'Verifying a signature',
  async measure() {
    const secret = `whsec_${randomBytes(32).toString('base64')}`
    const goals: Goal[] = []
    const rows: string[][] = []
    for (const kilobytes of [1, 20]) {
      const body = JSON.stringify({ note: 'x'.repeat(kilobytes * 1024 - 11) })
      const timestamp = Math.floor(Date.now() / 1000)
      const headers = {
        'webhook-id': 'evt_1',
        'webhook-timestamp': String(timestamp),
        'webhook-signature': signSync({ id: 'evt_1', timestamp, body, secret }),
      }
      const standard = new Webhook(secret)
      const svix = new SvixWebhook(secret)
      const reached = await alternate({
        verifySync: () => perSecond(() => verifySync({ body, headers, secret })),
        verify: () => perSecond(() => verify({ body, headers, secret })),
        standardwebhooks: () => perSecond(() => standard.verify(body, headers)),
        svix: () => perSecond(() => svix.verify(body, headers)),
      })
      for (const [name, rounds] of Object.entries(reached)) rows.push([name, `${kilobytes} KB`, spread(rounds)])
      for (const rival of ['standardwebhooks', 'svix'] as const)
        goals.push({
          what: `verifySync beside ${rival}, ${kilobytes} KB`,
          atLeast: 3,
          rounds: ratios(reached.verifySync, reached[rival]),
        })
    }
    return { tables: [{ columns: ['', 'body', 'verifications/s'], rows }], goals, notes: [] }
  },
}
