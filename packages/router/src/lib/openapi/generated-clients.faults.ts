import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import openapiTypescript, { astToString } from 'openapi-typescript'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { contractDocument } from '../../../test/contract-document.ts'
import { createPlatform, SUBSCRIPTION } from '../../../test/platform.ts'
import { toNodeHandler } from '../../node.ts'

// Generates clients from the OpenAPI 3.1 document, compiles them, and lets each make real calls; then fuzzes the API by
// the document. The client in Python and the fuzzer need Python ≥ 3.10 with `venv`, and come from PyPI. For Go, see
// go-client.faults.ts.

const PYTHON_GENERATOR = 'openapi-python-client==0.29.1'
const FUZZER = 'schemathesis==4.32.5'
const TARGET = SUBSCRIPTION.targetUrl

/** Compiles only if the generated types have these paths, parameters and fields. */
const TYPESCRIPT = `
import createClient from 'openapi-fetch'
import type { paths } from './schema.ts'

const [, , baseUrl = '', key = ''] = process.argv
const client = createClient<paths>({ baseUrl, headers: { authorization: \`Bearer \${key}\` } })
const { data, error } = await client.GET('/v1/webhooks/subscriptions', { params: { query: { targetUrl: '${TARGET}', state: 'active' } } })
if (data === undefined) throw new Error(error.message)
const [first] = data.data
const since: string | null | undefined = first?.disabled?.since
const unknown = await client.GET('/v1/events/{id}', { params: { path: { id: 'evt_x' } } })
console.log(first?.integration, since, first?.health.delivered, data.hasMore, unknown.error?.errorCode)
`

const PYTHON = `
import sys
from client import AuthenticatedClient
from client.api.events import get_event
from client.api.webhook_subscriptions import list_webhook_subscriptions
from client.models import ListWebhookSubscriptionsState, Problem, WebhookSubscriptionList

client = AuthenticatedClient(base_url=sys.argv[1], token=sys.argv[2])
page = list_webhook_subscriptions.sync(client=client, target_url="${TARGET}", state=ListWebhookSubscriptionsState.ACTIVE)
assert isinstance(page, WebhookSubscriptionList), page
first = page.data[0]
unknown = get_event.sync("evt_x", client=client)
assert isinstance(unknown, Problem), unknown
print(first.integration, first.disabled, first.health.delivered, page.has_more, unknown.error_code)
`

const run = promisify(execFile)

/** Installs a Python program from PyPI, and returns the options to run it with. */
async function installed(requirement: string) {
  const venv = await mkdtemp(join(folder, 'venv-'))
  await run('python3', ['-m', 'venv', venv]).catch(() => {
    throw new Error('This test needs Python ≥ 3.10 with venv: have `python3` in PATH (Debian: python3-venv).')
  })
  const options = { cwd: folder, env: { ...process.env, PATH: `${join(venv, 'bin')}:${process.env['PATH']}` } }
  await run('pip', ['install', '-q', '--disable-pip-version-check', requirement], options)
  return options
}

/** The server accepts every URL that fits the document; by default, Node itself refuses long ones with 431. */
async function listening(fetch: (request: Request) => Promise<Response>): Promise<Server> {
  const opened = createServer({ maxHeaderSize: 256 * 1024 }, toNodeHandler({ fetch })).listen(0, '127.0.0.1')
  await once(opened, 'listening')
  return opened
}

const urlOf = (opened: Server): string => `http://127.0.0.1:${(opened.address() as AddressInfo).port}`

let folder: string
let server: Server
let call: readonly [baseUrl: string, key: string]

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'callboard-clients-'))
  const { callboard, fetch, issue, ask } = await createPlatform()
  const { token } = await issue()
  await ask('/v1/webhooks/subscriptions', { token, method: 'POST', json: SUBSCRIPTION })
  server = await listening(fetch)
  call = [urlOf(server), token]
  expect(await callboard.subscriptions.list({ accountId: 'acc_1' })).toHaveLength(1)
})
afterAll(async () => {
  server.close()
  await rm(folder, { recursive: true, force: true })
})

it('openapi-typescript makes types for openapi-fetch, and their client calls the API', async () => {
  await writeFile(
    join(folder, 'schema.ts'),
    astToString(await openapiTypescript(JSON.stringify(await contractDocument()))),
  )
  await writeFile(join(folder, 'program.ts'), TYPESCRIPT)
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  await symlink(fileURLToPath(new URL('../../../node_modules', import.meta.url)), join(folder, 'node_modules'))
  const options = ['--strict', '--noEmit', '--skipLibCheck', '--allowImportingTsExtensions', '--types', 'node']
  const types = fileURLToPath(new URL('../../../../../node_modules/@types', import.meta.url))
  const tsc = fileURLToPath(new URL('../../../../../node_modules/typescript/bin/tsc', import.meta.url))
  const modules = ['--module', 'nodenext', '--target', 'es2023', '--typeRoots', types]
  const checked = await run(process.execPath, [tsc, ...options, ...modules, 'program.ts'], { cwd: folder }).catch(
    ({ stdout }: { stdout: string }) => ({ stdout }),
  )
  expect(checked.stdout).toBe('')
  const { stdout } = await run(process.execPath, ['program.ts', ...call], { cwd: folder })
  expect(stdout.trim()).toBe('zapier undefined 0 false NOT_FOUND')
})

it('openapi-python-client makes a client without a warning, and the client calls the API', async () => {
  const inFolder = await installed(PYTHON_GENERATOR)
  await writeFile(join(folder, 'openapi.json'), JSON.stringify(await contractDocument()))
  const options = ['--path', 'openapi.json', '--meta', 'none', '--output-path', 'client', '--fail-on-warning']
  await run('openapi-python-client', ['generate', ...options], inFolder)
  await writeFile(join(folder, 'program.py'), PYTHON)
  const { stdout } = await run('python', ['program.py', ...call], inFolder)
  expect(stdout.trim()).toBe('zapier None 0 False NOT_FOUND')
}, 300_000)

it('schemathesis gets only answers that the document describes', async () => {
  const inFolder = await installed(FUZZER)
  const wide = (seconds: number) => ({ seconds, limit: 1_000_000 })
  // With `maxOpenMs`, streams and waiting calls end soon.
  const { fetch, issue } = await createPlatform({ maxOpenMs: 30, limits: [wide(1), wide(10), wide(60)] })
  const { token } = await issue()
  const fuzzed = await listening(fetch)
  const options = [
    '--phases',
    'examples,coverage,fuzzing,stateful',
    '-n',
    '15',
    '--seed',
    '37',
    '--request-timeout',
    '10',
  ]
  // The API refuses some bodies that fit their schema, such as a cursor of another list.
  const checks = ['--exclude-checks', 'positive_data_acceptance']
  const header = ['-H', `Authorization: Bearer ${token}`]
  const words = ['run', `${urlOf(fuzzed)}/openapi.json`, ...header, ...options, ...checks]
  const failures = await run('schemathesis', words, inFolder).then(
    () => '',
    ({ stdout }: { stdout: string }) => stdout,
  )
  fuzzed.close()
  expect(failures).toBe('')
}, 300_000)
