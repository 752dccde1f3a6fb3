import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { engineOf } from '@callboard/core/engine'
import {
  type FaultProxy,
  startFaultProxy,
  startPostgres,
  startReceiver,
  type TestPostgres,
  type TestReceiver,
} from '@callboard/testbed'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type BuiltCli, buildCli, compileCache, platformFolder, type Run } from '../../../test/built-cli.ts'
import { openPlatform } from '../../../test/platform/callboard.ts'
import { printed } from '../../../test/printed.ts'
import { publishOrder } from '../../../test/publish-order.ts'

let cli: BuiltCli
let postgres: TestPostgres
let receiver: TestReceiver
let folder: string
let env: { DATABASE_URL: string; NODE_EXTRA_CA_CERTS: string }
let line: FaultProxy
let platform: ReturnType<typeof openPlatform>

beforeAll(async () => {
  ;[cli, postgres, receiver] = await Promise.all([buildCli(), startPostgres(), startReceiver()])
  folder = await mkdtemp(join(tmpdir(), 'callboard-worker-'))
  const certificate = join(folder, 'ca.pem')
  await writeFile(certificate, receiver.ca)
  env = { DATABASE_URL: await postgres.createDatabase(), NODE_EXTRA_CA_CERTS: certificate }
  platform = openPlatform(env.DATABASE_URL)
  line = await startFaultProxy(env.DATABASE_URL)
  await cli.run('migrate', { env })
  await platform.callboard.accounts.create({ id: 'acc_1', name: 'Harbour Hall' })
})

afterAll(async () => {
  await platform.pool.end()
  await line.stop()
  await Promise.all([cli.remove(), postgres.stop(), receiver.stop(), rm(folder, { recursive: true })])
})

async function subscribe(path: string): Promise<void> {
  const { callboard } = platform
  const { token } = await callboard.keys.issue({ accountId: 'acc_1', name: 'k', scopes: ['webhooks.write'] })
  const { admissions, apiSubscriptions } = engineOf(callboard)
  const admission = await admissions.admit(`Bearer ${token}`)
  if (admission.outcome !== 'admitted') throw new Error('not admitted')
  const input = { targetUrl: receiver.url(path), eventTypes: ['order.paid'], integration: 'other' }
  await apiSubscriptions.create(admission.caller, input)
}

const publish = async (): Promise<string> => (await publishOrder(platform.callboard)).id

/** Runs a worker and `work` at the same time, and waits for both to end. With `through`, the worker uses `line`. */
async function run(words: string, work: (child: ChildProcess) => Promise<void>, through = false): Promise<Run> {
  const working: Promise<void>[] = []
  const ran = await cli.run(words, {
    env: through ? { ...env, DATABASE_URL: line.through(env.DATABASE_URL) } : env,
    folder: platformFolder,
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

const linesOf = ({ stderr }: Run): { level: string; message: string }[] =>
  stderr
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

/** The ways to start a worker that the docs show, each as a program and its arguments. */
async function documentedStarts(): Promise<readonly (readonly [string, readonly string[]])[]> {
  const pages = ['../../../../../docs/workers.md', '../../../README.md'].map((page) => new URL(page, import.meta.url))
  const lines = (await Promise.all(pages.map((page) => readFile(page, 'utf8'))))
    .flatMap((text) => [...text.matchAll(/^```sh\n(.*?)^```/gms)].flatMap(([, code = '']) => code.split('\n')))
    .filter((line) => /callboard\W+worker/.test(line))
  expect(lines).toHaveLength(2)
  return lines.flatMap((line) => [
    [line, line.split(' ')] as const,
    [`exec ${line}`, ['sh', '-c', `exec ${line}`]] as const,
  ])
}

describe('a worker that is started as the docs say', () => {
  it('stops on SIGTERM to the process that was started', async () => {
    const bin = join(folder, 'node_modules/.bin')
    await mkdir(bin, { recursive: true })
    await symlink(cli.file, join(bin, 'callboard'))
    await writeFile(
      join(folder, 'callboard.config.ts'),
      `export { default } from ${JSON.stringify(join(platformFolder, 'callboard.config.ts'))}\n`,
    )
    const PATH = [dirname(process.execPath), process.env['PATH']].join(delimiter)
    const starts = (await documentedStarts()).map(async ([start, words]) => {
      // Any free port, instead of the one in the docs.
      const [program = '', ...args] = words.map((word) => word.replace('8080', '0'))
      const child = spawn(program, args, { cwd: folder, env: { ...env, PATH, NODE_COMPILE_CACHE: compileCache } })
      onTestFinished(() => void child.kill('SIGKILL'))
      const exited = once(child, 'exit')
      await printed(child, /the worker has started/)
      child.kill('SIGTERM')
      expect({ start, exit: await exited }).toEqual({ start, exit: [0, null] })
      await printed(child, /the worker has stopped/)
    })
    await Promise.all(starts)
  })
})

describe('callboard worker', () => {
  it('delivers events that the platform publishes, answers probes, and exits with 0 on SIGTERM', async () => {
    await subscribe('/hook')
    let probe: unknown
    let event = ''
    const ran = await run('worker --health-port 0', async (child) => {
      const [, port] = await printed(child, /"healthPort":(\d+)/)
      event = await publish()
      await receiver.received('/hook')
      const response = await fetch(`http://127.0.0.1:${port}/`)
      probe = { status: response.status, body: await response.json() }
      child.kill('SIGTERM')
    })
    expect(receiver.at('/hook')[0]!.headers['webhook-id']).toBe(event)
    const body = { ok: true, state: 'running', waiting: { lanes: 0, accounts: 0 }, heldBackHosts: 0 }
    expect(probe).toEqual({
      status: 200,
      body: { ...body, sinceContactMs: expect.any(Number), lanes: expect.any(Number) },
    })
    expect(ran).toMatchObject({ code: 0, stdout: '' })
    expect(linesOf(ran).map(({ level, message }) => `${level}: ${message}`)).toEqual([
      'info: the worker is starting',
      'info: the worker has started',
      'info: the worker is stopping, and waits for deliveries in flight',
      'info: the worker has stopped',
    ])
  })

  it('answers probes while the database is down, and starts once the database is back', async () => {
    await line.refuse()
    const answers: unknown[] = []
    const ran = await run(
      'worker --health-port 0',
      async (child) => {
        const [, port] = await printed(child, /"healthPort":(\d+)/)
        const probe = async (path: string) => {
          const response = await fetch(`http://127.0.0.1:${port}${path}`)
          return { status: response.status, ...((await response.json()) as { ok: boolean; state: string }) }
        }
        await printed(child, /UNAVAILABLE.*ECONNREFUSED/)
        answers.push(await probe('/livez'), await probe('/readyz'))
        await line.pass()
        await printed(child, /the worker has started/)
        await expect.poll(async () => (await probe('/readyz')).status).toBe(200)
        answers.push(await probe('/livez'))
        child.kill('SIGTERM')
      },
      true,
    )
    const starting = { ok: false, state: 'starting' }
    expect(answers).toMatchObject([
      { status: 200, ...starting },
      { status: 503, ...starting },
      { status: 200, ok: true, state: 'running' },
    ])
    expect(ran.code).toBe(0)
  })

  it('exits with 0 on SIGTERM while it waits for a database that does not answer', async () => {
    line.swallow()
    const before = line.accepted
    const ran = await run(
      'worker',
      async (child) => {
        await expect.poll(() => line.accepted).toBeGreaterThan(before)
        child.kill('SIGTERM')
      },
      true,
    )
    await line.pass()
    expect(ran.code).toBe(0)
    expect(linesOf(ran).at(-1)?.message).toBe('the worker was stopped before it had started')
  })

  it('keeps delivering after the process that reads its log has ended, and exits with 0', async () => {
    await subscribe('/unread')
    const ran = await run('worker', async (child) => {
      await printed(child, /the worker has started/)
      child.stderr?.destroy()
      await publish()
      await receiver.received('/unread')
      child.kill('SIGTERM')
    })
    expect(ran.code).toBe(0)
  })

  it('lets deliveries in flight finish after the first signal', async () => {
    await subscribe('/slow')
    let answer = (): void => undefined
    receiver.answer('/slow', {
      after: new Promise<void>((resolve) => {
        answer = resolve
      }),
    })
    const ran = await run('worker', async (child) => {
      await printed(child, /the worker has started/)
      await publish()
      await receiver.received('/slow')
      child.kill('SIGINT')
      await printed(child, /the worker is stopping/)
      answer()
    })
    expect(ran.code).toBe(0)
    expect(receiver.at('/slow')).toHaveLength(1)
    const page = await platform.callboard.health()
    expect(page.outbox).toMatchObject({ events: 0 })
  })

  it('aborts deliveries in flight at the second signal, exits with 130, and releases its lanes', async () => {
    await subscribe('/never')
    receiver.answer('/never', 'hold')
    const ran = await run('worker', async (child) => {
      await printed(child, /the worker has started/)
      await publish()
      await receiver.received('/never')
      child.kill('SIGTERM')
      await printed(child, /the worker is stopping/)
      // Waits, because a second signal within 500 ms would count as a repetition of the first. Sends no third signal,
      // because that would end the process before it has released its lanes.
      await delay(600)
      child.kill('SIGTERM')
    })
    expect(ran).toMatchObject({ code: 130, stderr: expect.stringContaining('Aborted the deliveries in flight') })
    const { rows } = await platform.pool.query(`select count(*)::int as n from callboard.lanes where state = 'leased'`)
    expect(rows).toEqual([{ n: 0 }])
  })

  it('limits the heap of its process, unless options of Node size it or a parent process has forked it', async () => {
    const config = join(folder, 'heap.config.mjs')
    await writeFile(config, 'console.log(JSON.stringify([process.pid, ...process.execArgv]))\nprocess.exit(7)\n')
    const words = ['--config', config, 'worker']
    const startedWith = async (extra: Readonly<Record<string, string>>) => {
      let pid: number | undefined
      const whileRunning = (child: ChildProcess): void => {
        pid = child.pid
      }
      const { code, stdout, stderr } = await cli.run(words, { env: { ...env, ...extra }, whileRunning })
      const [actual, ...options] = JSON.parse(stdout)
      expect({ code, stderr, pid: actual }).toEqual({ code: 7, stderr: '', pid })
      return options
    }
    const forked = fork(cli.file, words, { env, execArgv: [], stdio: ['ignore', 'pipe', 'inherit', 'ipc'] })
    const [alone, sized] = await Promise.all([
      startedWith({ NODE_OPTIONS: '' }),
      startedWith({ NODE_OPTIONS: '--max-semi-space-size=16' }),
      printed(forked, /^\[\d+\]$/m),
    ])
    expect(alone).toEqual(['--max-semi-space-size=12', expect.stringMatching(/^--max-old-space-size=\d+$/)])
    expect(sized).toEqual([])
  })

  it('says that it needs the config module, and which options are invalid', async () => {
    const without = await cli.run('worker', { env })
    expect(without).toMatchObject({ code: 2, stderr: expect.stringContaining('callboard.config.ts') })
    const port = await cli.run('worker --health-port 70000', { env, folder: platformFolder })
    expect(port).toMatchObject({ code: 2, stderr: expect.stringContaining('Expected a port') })
    const host = await cli.run('worker --health-port 8080 --health-host 192.0.2.1', { env, folder: platformFolder })
    expect(host).toMatchObject({ code: 1, stderr: expect.stringMatching(/8080 of 192\.0\.2\.1 .*--health-host/) })
  })

  it('logs none of the values that an error contains', async () => {
    await subscribe('/odd')
    await platform.pool.query(`update callboard.subscriptions set secret = 'hunter2' where target_url like '%/odd'`)
    const ran = await run('worker', async (child) => {
      await printed(child, /the worker has started/)
      const errorLine = printed(child, /"level":"error"[^\n]+/)
      await publishOrder(platform.callboard, 'ord_2', 'ada@example.com')
      await errorLine
      child.kill('SIGTERM')
      await printed(child, /the worker is stopping/)
      await delay(600)
      child.kill('SIGTERM')
    })
    // Every line of the log is JSON, so the default `onError` has not printed the error a second time. The command itself
    // prints a line if it had to abort the delivery.
    const log = ran.stderr.replace(/^error: Aborted .*\n/m, '')
    const errors = linesOf({ ...ran, stderr: log }).filter(({ level }) => level === 'error')
    expect(errors[0]?.message).toMatch(/^CONFIGURATION_INVALID/)
    expect(ran.stderr).not.toMatch(/hunter2|ada@example/)
  })
})
