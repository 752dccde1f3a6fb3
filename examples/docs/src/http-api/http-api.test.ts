import { readFileSync } from 'node:fs'
import { createCallboard } from '@callboard/core'
import { engineOf } from '@callboard/core/engine'
import { createTestSender, type Transport } from '@callboard/delivery'
import { createRouter } from '@callboard/router'
import { createMemoryStore } from '@callboard/store-memory'
import { expect, it } from 'vitest'
import * as types from '../event-types/orders.ts'

const page = readFileSync(new URL('../../../../docs/http-api.md', import.meta.url), 'utf8')

/** The `curl` commands of the page, each on one line. */
const COMMANDS = [...page.matchAll(/^```sh\n(.*?)^```$/gms)].flatMap(([, block = '']) =>
  block
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter(Boolean),
)

/** Splits a command into words as a shell does: quotes join, and `$NAME` is replaced except in single quotes. */
function wordsOf(command: string, variables: Readonly<Record<string, string>>): string[] {
  const words = command.match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? []
  return words.map((word) =>
    word.replace(/'([^']*)'|"([^"]*)"/g, (_, single?: string, double = '') =>
      single === undefined
        ? double.replace(/\$(\w+)/g, (__: string, name: string) => {
            const value = variables[name]
            if (value === undefined) throw new Error(`${command}: $${name} is not known yet`)
            return value
          })
        : single,
    ),
  )
}

function requestOf([program, ...words]: readonly string[]): Request {
  const headers = new Headers()
  let [url, method, body]: (string | undefined)[] = []
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? ''
    const value = words[at + 1] ?? ''
    if (word === '-H') headers.append(value.slice(0, value.indexOf(':')), value.slice(value.indexOf(':') + 1).trim())
    else if (word === '-X') method = value
    else if (word === '-d') body = value
    if (/^-[HXd]$/.test(word)) at += 1
    else if (!word.startsWith('-')) url = word
  }
  if (program !== 'curl' || url === undefined) throw new Error(`not a request: ${words.join(' ')}`)
  return new Request(url, { method: method ?? (body === undefined ? 'GET' : 'POST'), headers, body: body ?? null })
}

it('every command of docs/http-api.md gets a successful response, one after the other', async () => {
  const callboard = createCallboard({
    catalog: types.catalog,
    store: createMemoryStore(),
    secretKeys: { current: 'k1', keys: { k1: new Uint8Array(32).fill(7) } },
    sourceAddresses: ['198.51.100.0/24'],
  })
  await callboard.accounts.create({ id: 'acc_1', name: 'Harbour Hall' })
  const scopes = ['webhooks.read', 'webhooks.write', 'people.read'] as const
  const { token } = await callboard.keys.issue({ accountId: 'acc_1', name: 'Own program', scopes })
  const order = { accountId: 'acc_1', type: 'order.paid', subject: { type: 'order', id: 'ord_1' } } as const
  const publish = async () => {
    const published = await callboard.publish({ ...order, data: types.orderPaid.sample })
    await engineOf(callboard).store.deliveries.sequence(10)
    return published
  }
  for (const _ of [1, 2, 3]) await publish()
  const transport: Transport = {
    send: async () => ({ kind: 'response', status: 204, body: '', truncated: false, durationMs: 1 }),
    close: () => undefined,
  }
  const router = createRouter(callboard, { maxOpenMs: 50, tests: createTestSender(callboard, { transport }) })

  const variables: Record<string, string> = { API: 'https://api.example.com', API_KEY: token }
  const called = new Set<string>()
  for (const command of COMMANDS) {
    const request = requestOf(wordsOf(command, variables))
    const { pathname } = new URL(request.url)
    const response = await router.fetch(request)
    const text = await response.text()
    expect([200, 201, 202, 204], `${command}: ${response.status} ${text}`).toContain(response.status)
    const event = pathname.includes('/deliveries/') ? '{eventId}' : '{id}'
    called.add(`${request.method} ${pathname.replace(/sub_\w+/, '{id}').replace(/evt_\w+/, event)}`)
    const { id, data, nextCursor, secretVersion } = text.startsWith('{') ? JSON.parse(text) : {}
    if (response.status === 201 && /^sub_/.test(id)) {
      variables['ID'] = id
      variables['EVENT_ID'] = (await publish()).id
    }
    if (secretVersion !== undefined) variables['SECRET_VERSION'] = secretVersion
    if (typeof nextCursor === 'string') variables[pathname.endsWith('/feed') ? 'FEED_CURSOR' : 'CURSOR'] = nextCursor
    if (Array.isArray(data) && /^evt_/.test(data[0]?.id)) variables['EVENT_ID'] = data[0].id
  }

  const { paths } = await router.openapi()
  const all = Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
  )
  expect([...called].sort()).toEqual(all.sort())
})

it('docs/http-api.md lists every error code, with its status', () => {
  const listed = [...page.matchAll(/^\| (\d+) \| `(\w+)` \|/gm)].map(([, status, code]) => `${status} ${code}`)
  const { components } = JSON.parse(
    readFileSync(new URL('../../../../packages/router/openapi.json', import.meta.url), 'utf8'),
  )
  expect(listed.map((row) => row.split(' ')[1])).toEqual(
    expect.arrayContaining(components.schemas.Problem.properties.errorCode.enum),
  )
  expect(listed).toHaveLength(components.schemas.Problem.properties.errorCode.enum.length)
})
