import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@callboard/testbed'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTicketingPlatform, type TicketingPlatform } from './platform.ts'

let dataDir: string
let platform: TicketingPlatform

const start = (): Promise<TicketingPlatform> =>
  createTicketingPlatform({
    dataDir,
    databaseUrl: undefined,
    adminToken: 'open-sesame',
    simulate: true,
    simulateDay: false,
    allowLoopbackTargets: true,
    publicUrl: undefined,
    retrySchedule: undefined,
    dashboardLanguage: 'en',
    extraCaCertificates: [],
    log: () => undefined,
  })

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'callboard-automations-'))
  platform = await start()
})

afterAll(async () => {
  await platform.close()
  await rm(dataDir, { recursive: true, force: true })
})

/** The status with which an automation answers a POST. */
async function post(path: string): Promise<number | undefined> {
  const port = await readFile(join(dataDir, 'automations-port'), 'utf8')
  const ca = await readFile(join(dataDir, 'receiver-certificate.pem'))
  const sent = request(`https://localhost:${port}${path}`, { method: 'POST', ca, agent: false }).end('{}')
  const [response] = await once(sent, 'response')
  response.resume()
  return response.statusCode
}

const subscriptionIds = async (): Promise<string[]> => {
  const response = await platform.fetch(new Request('http://localhost/dashboard/subscriptions'))
  return [...new Set((await response.text()).match(/sub_\w{26}/g))].sort()
}

describe('the automations of the demo', () => {
  it('have subscribed, and appear on the dashboard', async () => {
    expect(await subscriptionIds()).toHaveLength(3)
  })

  it('include one that works, one that is gone, and one that fails until it is fixed', async () => {
    expect(await Promise.all(['/door-list', '/old-crm', '/newsletter'].map(post))).toEqual([200, 410, 500])
    const headers = { authorization: 'Bearer open-sesame' }
    const mended = await platform.fetch(
      new Request('http://localhost/demo/automations/newsletter/mend', { method: 'POST', headers }),
    )
    expect([mended.status, await post('/newsletter')]).toEqual([204, 200])
  })

  it('keep their subscriptions after a restart', async () => {
    // Uses a port that the system gives to no other process. If the port were taken between the two starts, the
    // automations would get another one, and with it other subscriptions.
    await platform.close()
    await writeFile(join(dataDir, 'automations-port'), String(await freePort()))
    platform = await start()
    const before = await subscriptionIds()
    await platform.close()
    platform = await start()
    expect(await subscriptionIds()).toEqual(before)
  })
})

describe('the dashboard of the demo', () => {
  it('shows nothing to a website that points its own name at this machine', async () => {
    const response = await platform.fetch(new Request('http://evil.example/dashboard/subscriptions'))
    expect([response.status, await response.text()]).toEqual([403, 'Open this page on localhost.'])
  })
})
