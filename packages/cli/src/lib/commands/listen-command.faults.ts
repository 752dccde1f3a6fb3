import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { verify } from '@callboard/signature'
import { freePort, startPostgres, type TestPostgres } from '@callboard/testbed'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BuiltCli, buildCli, platformFolder, type Run } from '../../../test/built-cli.ts'
import { openPlatform } from '../../../test/platform/callboard.ts'
import { printed } from '../../../test/printed.ts'
import { publishOrder } from '../../../test/publish-order.ts'
import { readOrMakeCertificate } from '../listen/certificate.ts'

let cli: BuiltCli
let postgres: TestPostgres
let platform: ReturnType<typeof openPlatform>
let server: ChildProcess
let folder: string
let certificate: string
let env: { CALLBOARD_URL: string; CALLBOARD_KEY: string }

beforeAll(async () => {
  ;[cli, postgres, folder] = await Promise.all([
    buildCli(),
    startPostgres(),
    mkdtemp(join(tmpdir(), 'callboard-listen-')),
  ])
  const DATABASE_URL = await postgres.createDatabase()
  await cli.run('migrate', { env: { DATABASE_URL } })
  platform = openPlatform(DATABASE_URL)
  const { callboard } = platform
  await callboard.accounts.create({ id: 'acc_1', name: 'Harbour Hall' })
  const scopes = ['webhooks.read', 'webhooks.write'] as const
  const { token } = await callboard.keys.issue({ accountId: 'acc_1', name: 'k', scopes })
  certificate = join(folder, 'listen.pem')
  await readOrMakeCertificate(certificate)
  server = spawn(process.execPath, [join(platformFolder, 'serve.ts')], {
    env: { PATH: process.env['PATH'], DATABASE_URL, NODE_EXTRA_CA_CERTS: certificate },
  })
  const [, url = ''] = await printed(server, /ready on (\S+)\./)
  env = { CALLBOARD_URL: url, CALLBOARD_KEY: token }
})

afterAll(async () => {
  server.kill('SIGKILL')
  await platform.pool.end()
  await Promise.all([cli.remove(), postgres.stop(), rm(folder, { recursive: true })])
})

async function addressOf(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`
}

const publish = async (): Promise<string> => (await publishOrder(platform.callboard)).id
const subscriptions = () => platform.callboard.subscriptions.list({ accountId: 'acc_1' })

async function run(words: string, work: (child: ChildProcess) => Promise<void>): Promise<Run> {
  const working: Promise<void>[] = []
  const ran = await cli.run(words, {
    env,
    whileRunning: (child) =>
      working.push(
        work(child).catch((error) => {
          child.kill('SIGKILL')
          throw error
        }),
      ),
  })
  await Promise.all(working)
  return ran
}

/** The developer's own server. */
async function startHook(...statuses: readonly number[]) {
  const requests: { headers: IncomingHttpHeaders; body: Buffer }[] = []
  const server = createServer(async (request, response) => {
    requests.push({ headers: request.headers, body: Buffer.concat(await request.toArray()) })
    response.writeHead(statuses[requests.length - 1] ?? 204).end()
  })
  const url = `${await addressOf(server)}/hook`
  return { url, requests, stop: () => server.close().closeAllConnections() }
}

describe('callboard listen', () => {
  it('subscribes, prints verified deliveries, and unsubscribes on Ctrl-C', async () => {
    let event = ''
    const ran = await run(`listen --port 0 --certificate ${certificate}`, async (child) => {
      await printed(child, /Ctrl-C unsubscribes/)
      expect(await subscriptions()).toMatchObject([{ eventTypes: ['order.paid'], externalRef: 'callboard-listen' }])
      event = await publish()
      await printed(child, new RegExp(`--> order\\.paid \\[${event}\\] order ord_1 #1, verified\\n`))
      child.kill('SIGINT')
    })
    expect(ran.code).toBe(0)
    expect(ran.stderr).toMatch(/^Subscribed: sub_\w+, to order\.paid\.\n[\s\S]+\nUnsubscribed sub_\w+\.\n$/)
    expect(ran.stdout + ran.stderr).not.toMatch(/whsec_|harbour_live_/)
    expect(await subscriptions()).toEqual([])
  })

  it('unsubscribes even when npx repeats the same Ctrl-C', async () => {
    const ran = await run(`listen --port 0 --certificate ${certificate}`, async (child) => {
      await printed(child, /Ctrl-C unsubscribes/)
      child.kill('SIGINT')
      child.kill('SIGINT')
    })
    expect(ran).toMatchObject({ code: 0, stderr: expect.stringContaining('Unsubscribed') })
    expect(await subscriptions()).toEqual([])
  })

  it("forwards deliveries unchanged, and returns the server's response to the platform, which retries", async () => {
    const hook = await startHook(500, 204)
    let secret = ''
    const ran = await run(
      `listen --json --print-secret --port 0 --certificate ${certificate} --forward ${hook.url}`,
      async (child) => {
        ;[, secret = ''] = await printed(child, /"secret":"(whsec_[^"]+)"/)
        const done = printed(child, /"status":204[^\n]*\n/)
        await publish()
        await done
        child.kill('SIGINT')
      },
    )
    hook.stop()
    expect(hook.requests).toHaveLength(2)
    for (const { headers, body } of hook.requests) {
      await expect(verify({ headers, body, secret })).resolves.toMatchObject({ payload: { type: 'order.paid' } })
      expect(headers).toMatchObject({
        host: new URL(hook.url).host,
        'content-type': 'application/json',
        accept: '*/*',
        'user-agent': expect.stringMatching(/^Callboard\//),
        'content-length': String(body.length),
      })
      // `fetch` would add this header.
      expect(headers).not.toHaveProperty('accept-language')
    }
    const [, ...lines] = ran.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines).toMatchObject([
      { verified: true, event: { type: 'order.paid' }, forwarded: { to: hook.url, status: 500 } },
      { verified: true, event: { type: 'order.paid' }, forwarded: { to: hook.url, status: 204 } },
    ])
  })

  it('needs no certificate if the platform allows plain HTTP targets on 127.0.0.1', async () => {
    const port = await freePort()
    const ran = await run(`listen --target http://127.0.0.1:${port}/ --port ${port}`, async (child) => {
      await printed(child, /Ctrl-C unsubscribes/)
      const event = await publish()
      await printed(child, new RegExp(`\\[${event}\\] order ord_1 #\\d+, verified\\n`))
      child.kill('SIGINT')
    })
    expect(ran).toMatchObject({ code: 0, stderr: expect.not.stringContaining('certificate') })
  })

  it('says that the platform does not trust the certificate that this command uses', async () => {
    const ran = await run(`listen --port 0 --certificate ${join(folder, 'unknown.pem')}`, async (child) => {
      await printed(child, /Ctrl-C unsubscribes/)
      await publish()
      await printed(child, /does not trust the certificate \S+unknown\.pem/)
      child.kill('SIGINT')
    })
    expect(ran).toMatchObject({ code: 0, stdout: '' })
    expect(ran.stderr).toMatch(/Restart it with NODE_EXTRA_CA_CERTS=\S+unknown\.pem/)
  })

  it('says why no delivery arrives: nothing was published, or the platform does not reach this machine', async () => {
    const quiet = await run(`listen --port 0 --certificate ${certificate}`, async (child) => {
      await printed(child, /No event of these types has been published since .*\. Publish one: .*callboard trigger/)
      child.kill('SIGINT')
    })
    expect(quiet.code).toBe(0)
    let event = ''
    const elsewhere = await run(`listen --port 0 --target https://localhost:${await freePort()}/x`, async (child) => {
      await printed(child, /Ctrl-C unsubscribes/)
      event = await publish()
      await printed(child, /has not connected to https:/)
      child.kill('SIGINT')
    })
    expect(elsewhere.stderr).toContain(`${event} was published`)
  })

  it('refuses unsigned requests, and does not forward them', async () => {
    const hook = await startHook()
    let status: number | undefined
    const ran = await run(
      `listen --port 0 --target https://localhost/tunnel --forward ${hook.url} --events order.paid`,
      async (child) => {
        const [, port] = await printed(child, /lead to http:\/\/localhost:(\d+)[\s\S]+Ctrl-C/)
        status = (await fetch(`http://localhost:${port}/hook`, { method: 'POST', body: '{}' })).status
        child.kill('SIGINT')
      },
    )
    hook.stop()
    expect(status).toBe(400)
    expect(hook.requests).toEqual([])
    expect(ran.stderr).toContain('refused a request that is not a delivery of this subscription: HEADER_MISSING')
  })

  it('finds the subscription that an earlier run on the same port left behind', async () => {
    const ids: string[] = []
    const port = await freePort()
    for (const keep of ['--keep', '']) {
      await run(`listen --port ${port} --certificate ${certificate} ${keep}`, async (child) => {
        const [, id = '', listened] = await printed(child, /: (sub_\w+), [\s\S]+https:\/\/localhost:(\d+)[\s\S]+Ctrl-C/)
        expect(listened).toBe(String(port))
        ids.push(id)
        child.kill('SIGINT')
      })
    }
    expect(ids[0]).toBe(ids[1])
    expect(await subscriptions()).toEqual([])
  })

  it('polls with --poll, says that the events are not signed, and signs the events that it forwards', async () => {
    const hook = await startHook()
    await publish()
    let event = ''
    let secret = ''
    const ran = await run(`listen --poll --print-secret --forward ${hook.url}`, async (child) => {
      ;[, secret = ''] = await printed(child, /Signing secret: (\S+)[\s\S]+Ctrl-C stops this/)
      const done = printed(child, /<-- \[204\][^\n]+\n/)
      event = await publish()
      await done
      child.kill('SIGINT')
    })
    hook.stop()
    expect(ran.code).toBe(0)
    expect(ran.stderr).toContain('not signed by the platform')
    // The event that was published before `listen` started is not printed.
    expect(ran.stdout).toMatch(new RegExp(`^\\S+ {2}--> order\\.paid \\[${event}\\] order ord_1 #\\d+, not signed\\n`))
    expect(hook.requests).toHaveLength(1)
    const [{ headers, body } = { headers: {}, body: '' }] = hook.requests
    await expect(verify({ headers, body, secret })).resolves.toMatchObject({ id: event })
    expect(await subscriptions()).toEqual([])
  })

  it.each([
    ['no platform', 'listen', { CALLBOARD_URL: '' }, 2, 'CALLBOARD_URL'],
    [
      'a platform that cannot be reached',
      'listen --port 0',
      { CALLBOARD_URL: 'http://127.0.0.1:1' },
      1,
      'Is the platform running',
    ],
    [
      'an unknown key',
      'listen --port 0',
      { CALLBOARD_KEY: 'harbour_live_x' },
      1,
      'Is CALLBOARD_KEY a complete key of this platform',
    ],
    [
      'a target that the platform refuses',
      'listen --port 0 --target https://10.0.0.1/x',
      {},
      1,
      'Let the platform deliver to this machine',
    ],
    ['--poll with --keep', 'listen --poll --keep', {}, 2, '--poll creates no subscription'],
    [
      'a file that is not a certificate',
      `listen --certificate ${fileURLToPath(import.meta.url)}`,
      {},
      1,
      'must hold a certificate and its key',
    ],
  ])('reports in one line: %s', async (_, words, over, code, message) => {
    const ran = await cli.run(words, { env: { ...env, HOME: folder, ...over } })
    expect(ran).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(message) })
    expect(ran.stderr).not.toMatch(/\n\s+at |harbour_live_/)
    expect(await subscriptions()).toEqual([])
  })
})
