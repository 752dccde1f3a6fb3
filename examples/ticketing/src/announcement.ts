import type { Environment } from './environment.ts'
import type { TicketingPlatform } from './platform.ts'

export interface AnnouncementInput {
  readonly url: string
  readonly platform: Pick<TicketingPlatform, 'place' | 'adminToken' | 'demoKey' | 'orders'>
  readonly environment: Pick<
    Environment,
    'simulate' | 'allowLoopbackTargets' | 'retrySchedule' | 'dataDir' | 'adminToken'
  >
  /** The time from start to ready. */
  readonly milliseconds: number
}

/** The text to print once the platform is ready. It contains the key only if the key was issued in this run. */
export function announcement({ url, platform, environment, milliseconds }: AnnouncementInput): string {
  const { demoKey, adminToken, orders, place } = platform
  const { allowLoopbackTargets, simulate, retrySchedule, dataDir } = environment
  const found =
    orders === 0 ? 'no orders yet' : `found ${orders} ${orders === 1 ? 'order' : 'orders'} from earlier starts`
  const lines = [
    '',
    `The ticketing platform is ready on ${url} after ${(milliseconds / 1000).toFixed(1)} s.`,
    '',
    `  Open         ${url}/ (what runs here, and where to go next)`,
    `  Dashboard    ${url}/dashboard`,
    `  Database     ${place}: ${found}`,
    `  Targets      ${
      allowLoopbackTargets
        ? 'loopback addresses are ALLOWED for this demo (ALLOW_LOOPBACK_TARGETS=0 refuses them)'
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
          'Three automations have subscribed. One fails on purpose, as the dashboard shows. To fix it:',
          '',
          `  curl -s -X POST ${url}/demo/automations/newsletter/mend -H 'Authorization: Bearer ${adminToken}'`,
          '',
        ]
      : []),
  ]
  const post = `curl -s -X POST -H 'Authorization: Bearer ${adminToken}' -H 'Content-Type: application/json'`
  if (demoKey.isNew) {
    lines.push(
      `Created the demo account acct_demo. Its key is shown only this once:`,
      '',
      `  ${demoKey.key}`,
      '',
      'Three commands to try: identify the key, list the newest events, and sell a ticket.',
      '',
      `  curl -s ${url}/v1/me -H 'Authorization: Bearer ${demoKey.key}'`,
      `  curl -s '${url}/v1/events?limit=5' -H 'Authorization: Bearer ${demoKey.key}'`,
      `  ${post} ${url}/demo/orders -d '{"eventName":"Jazz Night"}'`,
      '',
    )
  } else {
    lines.push(
      `Found the demo account acct_demo and its key ${demoKey.id} from an earlier run. The key is not shown again`,
      `(demo.json in ${dataDir} keeps it for the receiver). To issue another key:`,
      '',
      `  ${post} ${url}/demo/keys -d '{"scopes":["webhooks.read","webhooks.write","people.read"]}'`,
      '',
    )
  }
  lines.push(
    `Events:          GET ${url}/v1/events, with the key`,
    'Subscribe:       npm run demo:receiver in another terminal, or by hand, with the key:',
    `                 POST ${url}/v1/webhooks/subscriptions ` +
      '{"targetUrl":"https://…","eventTypes":["order.paid"],"integration":"other"}',
    'Stop:            Ctrl-C',
    '',
  )
  return lines.join('\n')
}
