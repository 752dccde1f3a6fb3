import type { Environment } from './environment.ts'
import type { TicketingPlatform } from './platform.ts'

export interface AnnouncementInput {
  readonly url: string
  readonly platform: Pick<TicketingPlatform, 'place' | 'adminToken' | 'demoKey' | 'orders'>
  readonly environment: Pick<
    Environment,
    'simulate' | 'allowLoopbackTargets' | 'retrySchedule' | 'dataDir' | 'adminToken'
  >
  /** From start to ready. */
  readonly milliseconds: number
}

/** What is printed once the platform is ready. The key is in it only at the start that issued it. */
export function announcement({ url, platform, environment, milliseconds }: AnnouncementInput): string {
  const { demoKey, adminToken, orders, place } = platform
  const { allowLoopbackTargets, simulate, retrySchedule, dataDir } = environment
  const lines = [
    '',
    `The ticketing platform is ready on ${url} after ${(milliseconds / 1000).toFixed(1)} s.`,
    '',
    `  Dashboard    ${url}/dashboard`,
    `  Database     ${place}: ${orders === 0 ? 'no orders yet' : `found ${orders} ${orders === 1 ? 'order' : 'orders'} from before`}`,
    `  Targets      ${
      allowLoopbackTargets
        ? 'loopback addresses are ALLOWED, for trying out (ALLOW_LOOPBACK_TARGETS=0 refuses them)'
        : 'public addresses only (ALLOW_LOOPBACK_TARGETS=0)'
    }`,
    ...(retrySchedule === undefined
      ? []
      : [`  Retries      after ${retrySchedule.map((wait) => `${wait / 1000} s`).join(', ')} (RETRY_SCHEDULE)`]),
    `  Simulation   ${simulate ? 'sells a few tickets a minute (SIMULATE=0 stops it)' : 'off (SIMULATE=0)'}`,
    `  Admin token  ${adminToken}${environment.adminToken === undefined ? '' : ' (DEMO_ADMIN_TOKEN)'}`,
    '',
    ...(simulate && allowLoopbackTargets
      ? [
          'Three automations have subscribed themselves; the dashboard shows that one of them fails on purpose. To mend it:',
          '',
          `  curl -s -X POST ${url}/demo/automations/newsletter/mend -H 'Authorization: Bearer ${adminToken}'`,
          '',
        ]
      : []),
  ]
  const shop = `curl -s -X POST ${url}/demo/orders -H 'Authorization: Bearer ${adminToken}' -H 'Content-Type: application/json' -d '{"eventName":"Jazz Night"}'`
  if (demoKey.isNew) {
    lines.push(
      `A demo account, acct_demo, was made. Its key is shown this once:`,
      '',
      `  ${demoKey.key}`,
      '',
      'Three lines to copy: who the key is, the newest events, and a ticket to sell.',
      '',
      `  curl -s ${url}/v1/me -H 'Authorization: Bearer ${demoKey.key}'`,
      `  curl -s '${url}/v1/events?limit=5' -H 'Authorization: Bearer ${demoKey.key}'`,
      `  ${shop}`,
      '',
    )
  } else {
    lines.push(
      `Found the demo account, acct_demo, and its key ${demoKey.id} of an earlier start. It is not shown again`,
      `(demo.json in ${dataDir} has it for the receiver). For another one:`,
      '',
      `  curl -s -X POST ${url}/demo/keys -H 'Authorization: Bearer ${adminToken}' -H 'Content-Type: application/json' -d '{"scopes":["webhooks.read","webhooks.write","people.read"]}'`,
      '',
    )
  }
  lines.push(
    `Events:          GET ${url}/v1/events, with the key`,
    'Subscribe:       npm run demo:receiver in another terminal, or by hand, with the key:',
    `                 POST ${url}/v1/webhooks/subscriptions {"targetUrl":"https://…","eventTypes":["order.paid"],"integration":"other"}`,
    'Stop:            Ctrl-C',
    '',
  )
  return lines.join('\n')
}
