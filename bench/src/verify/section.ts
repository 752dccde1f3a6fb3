import { randomBytes } from 'node:crypto'
import { signSync, verify, verifySync } from '@callboard/signature'
import { Webhook } from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'
import { figure, spread } from '../lib/format.ts'
import { alternate, ratios } from '../lib/rounds.ts'
import type { Figure, Goal, Section } from '../lib/section.ts'
import { bundleForBrowsers } from './browser-bundle.ts'

/** Verifications per second. */
function perSecond(work: () => unknown, forMs: number): number {
  const start = performance.now()
  let done = 0
  for (; performance.now() - start < forMs; done += 100) for (let i = 0; i < 100; i++) work()
  return (done * 1000) / (performance.now() - start)
}

async function perSecondAsync(work: () => Promise<unknown>, forMs: number): Promise<number> {
  const start = performance.now()
  let done = 0
  for (; performance.now() - start < forMs; done += 100) for (let i = 0; i < 100; i++) await work()
  return (done * 1000) / (performance.now() - start)
}

export const section: Section = {
  title: 'Verifying a signature',
  async measure({ quick }) {
    const forMs = quick ? 100 : 500
    const secret = `whsec_${randomBytes(32).toString('base64')}`
    const sizes = {
      callboard: await bundleForBrowsers(`export * from '@callboard/signature'`),
      standardwebhooks: await bundleForBrowsers(`export { Webhook } from 'standardwebhooks'`),
      svix: await bundleForBrowsers(`export { Webhook } from 'svix'`),
    }
    const onWeb: { verify: typeof verify } = await import(
      `data:text/javascript,${encodeURIComponent(sizes.callboard.code)}`
    )
    const figures: Figure[] = [{ what: 'bytes for a browser', rounds: [sizes.callboard.gzipped] }]
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
        'verifySync, node:crypto': () => perSecond(() => verifySync({ body, headers, secret }), forMs),
        'verify, node:crypto': () => perSecondAsync(() => verify({ body, headers, secret }), forMs),
        'verify, WebCrypto': () => perSecondAsync(() => onWeb.verify({ body, headers, secret }), forMs),
        standardwebhooks: () => perSecond(() => standard.verify(body, headers), forMs),
        svix: () => perSecond(() => svix.verify(body, headers), forMs),
      })
      for (const [name, rounds] of Object.entries(reached)) rows.push([name, `${kilobytes} KB`, spread(rounds)])
      goals.push({
        what: `verifySync/s ÷ the better rival, ${kilobytes} KB`,
        atLeast: 3,
        guard: kilobytes === 1 ? 1.7 : 3,
        rounds: ratios(
          reached['verifySync, node:crypto'],
          reached.svix.map((each, round) => Math.max(each, reached.standardwebhooks[round] ?? 0)),
        ),
      })
      if (kilobytes === 1) figures.push({ what: 'verifySync/s, 1 KB', rounds: reached['verifySync, node:crypto'] })
    }
    goals.push({
      what: 'bytes for a browser ÷ the better rival',
      atMost: 0.5,
      guard: 0.6,
      rounds: [sizes.callboard.gzipped / Math.min(sizes.standardwebhooks.gzipped, sizes.svix.gzipped)],
    })
    return {
      figures,
      goals,
      tables: [
        { columns: ['', 'body', 'verifications/s'], rows },
        {
          columns: ['', 'bytes for a browser, minified and gzipped'],
          rows: Object.entries(sizes).map(([name, { gzipped }]) => [name, figure(gzipped)]),
        },
      ],
      method:
        'The rivals are standardwebhooks and svix. Sizes are minified and gzipped: all exports of ' +
        '`@callboard/signature`, and only `Webhook` of the rivals.',
    }
  },
}
