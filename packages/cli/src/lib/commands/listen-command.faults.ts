import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { verify } from '@callboard/signature'
import { freePort, startPostgres, type TestPostgres } from '@callboard/testbed'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BuiltCli, buildCli, platformFolder, type Run } from '../../../test/built-cli.ts'
import { openPlatform } from '../../../test/platform/callboard.ts'
import { printed } from '../../../test/printed.ts'
import { publishOrder } from '../../../test/publish-order.ts'

let cli: BuiltCli
let postgres: TestPostgres
let platform: ReturnType<typeof openPlatform>
let server: ChildProcess
let folder: string
let env: { CALLBOARD_URL: string; CALLBOARD_KEY: string; HOME: string }

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
  const { token } = await callboard.keys.issue({ accountId: 'acc_1', name: 'k', scopes: ['webhooks.read'] })
  server = spawn(process.execPath, [join(platformFolder, 'serve.ts')], {
    env: { PATH: process.env['PATH'], DATABASE_URL },
  })
  const [, url = ''] = await printed(server, /ready on (\S+)\./)
  env = { CALLBOARD_URL: url, CALLBOARD_KEY: token, HOME: folder }
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

/** Publishes events until one is printed, because the command may not follow yet. Returns the id of that event. */
async function publishUntilSeen(child: ChildProcess): Promise<string> {
  const ids: string[] = []
  const seen = printed(child, /evt_\w+/)
  for (let isSeen = false; !isSeen; ) {
    ids.push(await publish())
    isSeen = await Promise.race([seen.then(() => true), setTimeout(500, false)])
  }
  const [id = ''] = await seen
  expect(ids).toContain(id)
  return id
}

async function run(
  words: string,
  work: (child: ChildProcess) => Promise<void>,
  over: Readonly<Record<string, string>> = {},
): Promise<Run> {
  const working: Promise<void>[] = []
  const ran = await cli.run(words, {
    env: { ...env, ...over },
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
  it('prints events as they happen, and what it missed once it runs again', async () => {
    await publish()
    const first = await run('listen', async (child) => {
      await printed(child, /Following all events of Harbour Hall, from now on\.\n[\s\S]*Ctrl-C/)
      const event = await publishUntilSeen(child)
      await printed(child, new RegExp(`--> order\\.paid \\[${event}\\] order ord_1 #\\d+\\n`))
      child.kill('SIGINT')
    })
    expect(first.code).toBe(0)
    const missed = [await publish(), await publish()]
    const second = await run('listen', async (child) => {
      await printed(child, new RegExp(`from where the last run stopped[\\s\\S]+${missed[1]}`))
      child.kill('SIGINT')
      child.kill('SIGINT')
    })
    expect(second.code).toBe(0)
    expect([...second.stdout.matchAll(/\[(evt_\w+)\]/g)].map(([, id]) => id)).toEqual(missed)
    expect(first.stdout + first.stderr + second.stdout + second.stderr).not.toMatch(/whsec_|harbour_live_/)
  })

  it('forwards events, signed with a secret that stays the same, and shows the answers', async () => {
    const hook = await startHook(500, 204)
    const secrets: string[] = []
    for (const status of [500, 204]) {
      const ran = await run(
        `listen --json --print-secret --events order.paid --forward-to ${hook.url}`,
        async (child) => {
          const [, secret = ''] = await printed(child, /"account":"acc_1","secret":"(whsec_[^"]+)"/)
          secrets.push(secret)
          const done = printed(child, /"status":\d+[^\n]*\n/)
          await publishUntilSeen(child)
          await done
          child.kill('SIGINT')
        },
      )
      const [, line = ''] = ran.stdout.split('\n')
      expect(JSON.parse(line)).toEqual({
        event: expect.objectContaining({ type: 'order.paid' }),
        forwarded: { to: hook.url, status, failure: null, durationMs: expect.any(Number) },
      })
    }
    hook.stop()
    const [secret = '', again] = secrets
    expect(again).toBe(secret)
    for (const { headers, body } of hook.requests.slice(0, 2)) {
      await expect(verify({ headers, body, secret })).resolves.toMatchObject({ payload: { type: 'order.paid' } })
      expect(headers).toMatchObject({ 'content-type': 'application/json', 'content-length': String(body.length) })
      // `fetch` would add this header.
      expect(headers).not.toHaveProperty('accept-language')
    }
    const [file = ''] = await readdir(join(folder, '.callboard'))
    expect((await stat(join(folder, '.callboard', file))).mode & 0o777).toBe(0o600)
  })

  it('goes on if its own server does not answer', async () => {
    const ran = await run(
      `listen --events order.paid --forward-to http://127.0.0.1:${await freePort()}/`,
      async (child) => {
        await printed(child, /Ctrl-C/)
        await publishUntilSeen(child)
        await printed(child, /<-- \[failed: ECONNREFUSED\] POST [^\n]+\n/)
        child.kill('SIGINT')
      },
    )
    expect(ran.code).toBe(0)
  })

  it('says what to do about a cursor that the platform does not accept, or a file of something else', async () => {
    const home = await mkdtemp(join(folder, 'home-'))
    await run(
      'listen',
      async (child) => {
        await printed(child, /Ctrl-C/)
        child.kill('SIGINT')
      },
      { HOME: home },
    )
    const [name = ''] = await readdir(join(home, '.callboard'))
    const file = join(home, '.callboard', name)
    const { secret } = JSON.parse(await readFile(file, 'utf8'))
    for (const text of [JSON.stringify({ secret, cursors: { '': 'AAAA' } }), '{}']) {
      await writeFile(file, text)
      const ran = await cli.run('listen', { env: { ...env, HOME: home } })
      expect(ran).toMatchObject({
        code: 1,
        stdout: '',
        stderr: expect.stringContaining(`Remove ${text === '{}' ? 'it' : file}`),
      })
    }
  })

  it.each([
    ['no platform', 'listen', { CALLBOARD_URL: '' }, 2, 'CALLBOARD_URL'],
    [
      'a platform that cannot be reached',
      'listen',
      { CALLBOARD_URL: 'http://127.0.0.1:1' },
      1,
      'Is the platform running',
    ],
    [
      'an unknown key',
      'listen',
      { CALLBOARD_KEY: 'harbour_live_x' },
      1,
      'Is CALLBOARD_KEY a complete key of this platform',
    ],
    ['an unknown type', 'listen --events order.eaten', {}, 1, 'order.eaten'],
  ])('reports in one line: %s', async (_, words, over, code, message) => {
    const ran = await cli.run(words, { env: { ...env, ...over } })
    expect(ran).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(message) })
    expect(ran.stderr).not.toMatch(/\n\s+at |harbour_live_/)
  })
})
