import { createId } from '@callboard/core'
import { describe, expect, it } from 'vitest'
import { type AttemptEnd, attemptDeliveries } from '../../../test/attempt-deliveries.ts'
import { type DashboardWorld, openDashboard } from '../../../test/dashboard-world.ts'
import { pseudoTexts } from '../../../test/pseudo-texts.ts'
import { german } from '../../german.ts'
import { backToSubscription } from '../pages/subscriptions/switch-subscription.ts'
import { routes } from '../routes.ts'
import { english } from './english.ts'

describe('the catalogues', () => {
  it('have the same texts', () => {
    expect(Object.keys(leaves(german)).sort()).toEqual(Object.keys(leaves(english)).sort())
  })

  it('have no empty text, and the German catalogue has no English text', () => {
    const [ours, theirs] = [leaves(english), leaves(german)]
    const same = Object.keys(ours).filter((path) => ours[path] === theirs[path])
    expect(same.sort()).toEqual(SAME)
    expect(Object.entries(theirs).filter(([, text]) => text.trim() === '')).toEqual([])
  })
})

/** The texts that are the same in both languages. */
const SAME = [
  'audit.reasons.gone',
  'common.id',
  'common.modes.live',
  'common.modes.test',
  'common.product',
  'keys.name',
  'subscriptionForm.name',
  'subscriptions.api',
  'subscriptions.integration',
  'testEvents.status',
]

describe('every page', () => {
  it('takes all its words from the catalogue', async () => {
    const pages = await everyPage()
    const strays = pages.flatMap(({ path, html }) => strayWords(html).map((words) => `${path}: ${words}`))
    expect(strays).toEqual([])
    // A page that `everyPage` does not reach is not checked.
    const missed = routes.filter(
      ({ path, method, answer }) =>
        answer !== backToSubscription && !pages.some((page) => page.method === method && matches(path, page.path)),
    )
    expect(missed).toEqual([])
  })

  it('is in the language of the catalogue, including its dates and numbers', async () => {
    const { as, hook } = await openDashboard({ texts: german })
    const { id } = await hook()
    const { html, text } = await as({ timeZone: 'Europe/Berlin' }).get(`/subscriptions/${id}`, {
      'accept-language': 'fr',
    })
    expect(html).toContain('<html lang="de" dir="ltr" data-zone="Europe/Berlin"')
    expect(text).toMatch(/Angelegt \d{2}\.\d{2}\.\d{4}, \d{2}:\d{2}:\d{2} /)
    expect(text).toContain('Alle Zeiten gelten für die Zeitzone Europe/Berlin.')
  })

  it('shows the platform’s own text where the platform has replaced one', async () => {
    const texts = { ...english, keys: { ...english.keys, title: 'Tokens' } }
    const { as } = await openDashboard({ texts })
    expect((await as().get('/keys')).text).toContain('Tokens Automation tools')
  })

  it('is laid out from right to left if its language is written that way', async () => {
    const { as } = await openDashboard({ texts: { ...english, language: 'ar' } })
    expect((await as().get('/keys')).html).toContain('<html lang="ar" dir="rtl"')
  })
})

interface Shown {
  readonly method: string
  readonly path: string
  readonly html: string
}

/** More pages than the dashboard has. A test that reaches this limit follows links to new pages without end. */
const MOST = 400

/**
 * Follows all links and posts all forms, with and without values: first as a viewer with all permissions, then as a
 * viewer who can only read.
 */
async function everyPage(): Promise<readonly Shown[]> {
  const world = await eventful()
  const shown: Shown[] = []
  const keep = (method: string, path: string, html: string): void => void shown.push({ method, path, html })
  const viewers = [world.as({ id: 'usr_1' }), world.as({ can: ['webhooks.read', 'events.read', 'keys.read'] })]
  for (const viewer of viewers) {
    const forms = new Map<string, Record<string, string>>()
    const seen = new Set<string>()
    const waiting = ['/subscriptions', '/events', '/keys', '/audit', '/nothing', '/keys?cursor=x', '/audit?cursor=x']
    for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
      if (seen.has(path)) continue
      if (seen.add(path).size > MOST) throw new Error(`more than ${MOST} pages, such as ${path}`)
      const { html } = await viewer.get(path)
      keep('GET', path, html)
      for (const [, href = ''] of html.matchAll(/<a\b[^>]*\shref="([^"#]+)"/g)) waiting.push(inside(href, path))
      for (const [, action = '', inner = ''] of html.matchAll(
        /<form[^>]*method="post" action="([^"]+)"[^>]*>(.*?)<\/form>/gs,
      ))
        forms.set(inside(action, path), fieldsOf(inner))
      for (const [, action = ''] of html.matchAll(/<form class="form" action="([^"]+)"/g))
        waiting.push(`${inside(action, path)}?since=day&state=exhausted&count=on`)
    }
    // Forms that remove or disable keys and subscriptions come last, because the other forms need these.
    const order = [...forms].sort(([one], [other]) => rank(one) - rank(other))
    for (const [path, fields] of order)
      for (const body of [{}, { ...fields, targetUrl: 'http://10.0.0.1' }, fields, fields]) {
        const posted = await viewer.post(path, body)
        keep('POST', path, posted.html)
        if (posted.location !== null) keep('GET', path, (await viewer.get(inside(posted.location, path))).html)
      }
  }
  const asJson = { 'sec-fetch-site': 'same-origin', accept: 'application/json' }
  for (const targetUrl of ['https://example.com', 'http://example.com'])
    keep(
      'POST',
      '/subscriptions/check-target',
      messageOf(await viewers[0]?.post('/subscriptions/check-target', { targetUrl }, asJson)),
    )
  keep('POST', '/keys/new', (await viewers[0]?.post('/keys/new', {}, {}))?.html ?? '')
  expect(world.errors.filter((error) => !String(error).includes('cannot be converted'))).toEqual([])
  return shown
}

/** A dashboard that has something to show on every page: each state, each reason and each role. */
async function eventful(): Promise<DashboardWorld> {
  const tests = {
    send: async () => ({
      eventId: 'test_1',
      type: 'order.paid',
      outcome: 'failed' as const,
      status: undefined,
      reason: 'timeout',
      durationMs: 312,
      response: undefined,
      request: { url: 'https://hooks.example.com/1', headers: {}, body: '{}' },
    }),
  }
  const world = await openDashboard({ versions: true, texts: pseudoTexts, tests, maxKeys: 30, maxSubscriptions: 30 })
  const { callboard, hook, publish } = world
  const owner = { accountId: 'acme' }
  const types = { eventTypes: ['order.paid', 'event.published'], personalData: true }
  const own = (url: string, more = {}) =>
    callboard.subscriptions.create({ ...owner, ...types, targetUrl: url, ...more })
  const hooked = await hook()
  const idle = await hook({ targetUrl: 'https://example.org/2', integration: 'other', externalRef: 'ref_2' })
  await hook({ targetUrl: 'https://example.org/3' }, { scopes: ['webhooks.read', 'webhooks.write', 'people.read'] })
  const mine = await own('https://example.com/1', {
    description: 'ada',
    eventTypes: ['order.paid'],
    apiVersion: '2026-04-01',
  })
  await callboard.keys.issue({ ...owner, name: 'ada', scopes: [], apiVersion: '2026-04-01' })
  const replaced = await callboard.keys.issue({ ...owner, name: 'ada', scopes: ['webhooks.read'] })
  await callboard.keys.rotate({ accountId: 'acme', id: replaced.id, overlapMs: 60_000 })
  const ended = await callboard.keys.issue({ ...owner, name: 'ada', scopes: ['people.read'] })
  await callboard.keys.revoke({ accountId: 'acme', id: ended.id })
  const ends: readonly AttemptEnd[] = [
    { status: 204 },
    { outcome: 'failed', status: 500 },
    { outcome: 'exhausted', status: 302 },
    { outcome: 'exhausted', reason: 'dns' },
    { outcome: 'expired' },
    { outcome: 'exhausted', reason: 'of_tomorrow' },
  ]
  for (const end of ends) {
    await publish({ id: end.status === 500 ? 'ord_bad' : 'ord_1' })
    await attemptDeliveries(callboard, {}, end)
  }
  await callboard.subscriptions.disable({ ...owner, mode: 'live', id: idle.id, by: 'platform' })
  const gone = await own('https://example.com/4')
  await callboard.subscriptions.disable({ ...owner, mode: 'live', id: gone.id, by: 'account' })
  await callboard.keys.revoke({ accountId: 'acme', id: hooked.confirmedBy ?? '' })
  await callboard.subscriptions.rotateSecret({
    ...owner,
    mode: 'live',
    id: mine.id,
    overlapMs: 3_600_000,
    by: 'account',
  })
  await publish()
  world.advance(120_000)
  return world
}

function rank(path: string): number {
  return ['/rotate', '/version', '/test', '/resend', '/edit'].some((end) => path.endsWith(end)) ? 0 : 1
}

/** A path and query inside the dashboard. */
function inside(href: string, from: string): string {
  const { pathname, search } = new URL(href.replaceAll('&amp;', '&'), `https://app.example.com/dashboard${from}`)
  return pathname.replace(/^\/dashboard/, '') + search
}

function fieldsOf(form: string): Record<string, string> {
  const fields = [...form.matchAll(/<(?:input|select)\b[^>]*?\sname="([^"]+)"([^>]*)>/g)]
  const values = fields.map(([, name = '', rest = '']) => [
    name,
    /\svalue="([^"]*)"/.exec(rest)?.[1] || SUITABLE[name] || '',
  ])
  return Object.fromEntries(values)
}

const SUITABLE: Readonly<Record<string, string>> = {
  targetUrl: 'https://example.com/new',
  name: 'ada',
  overlap: 'hour',
  type: 'order.paid',
  id: createId('key'),
}

function messageOf(answer: { readonly html: string } | undefined): string {
  return `<p>${String(JSON.parse(answer?.html ?? '{}').message)}</p>`
}

/** Data that the test made up, names that are the same in every language, and units that `Intl` writes. */
const DATA = [
  /…[0-9A-Za-z]{4}\b/g,
  /\b(?:evt|sub|key|req|ref|test|usr|ord|evn)_\w+/g,
  /\b(?:order\.paid|event\.published|Event on sale|Tickets can be bought from now on|Orders|Events|an automation|ada|order|usr_1|webhooks\.read|webhooks\.write|people\.read)\b/g,
  /(?:https?:\/\/)?\b(?:hooks\.zapier\.com|hooks\.example\.com|example\.(?:com|org))[\w/]*|^\/(?:hooks\/1|new)$/g,
  /\b(?:Zapier|Node|Python|PHP|Go|Ruby|UTC|Callboard|zapier|other)\b/g,
  /\b(?:No Content|Internal Server Error)\b/g,
  /\b(?:accept|content-type|webhook-(?:id|timestamp|signature)|user-agent)\b/g,
  /\b\d+(?:ms|s)\b|\b\d+ (?:minute|hour|day)s?\b|\b(?:cbk|whsec)_[\w+/=]+/g,
]
const TEXT_ATTRIBUTES =
  /\s(?:aria-label|title|placeholder|alt|data-(?:head|select-all|live-state|updated|copied|copy-failed|none|stopped|interrupted))="([^"]*)"/g

/** The words on a page that are neither from the catalogue nor data. */
function strayWords(html: string): readonly string[] {
  const attributes = [...html.matchAll(TEXT_ATTRIBUTES)].map(([, value = '']) => value)
  const [title = ''] = /<title>.*?<\/title>/s.exec(html) ?? []
  const body = html
    .replace(/<head>.*?<\/head>/s, title)
    .replace(/<(time|pre|code|script)\b.*?<\/\1>/gs, ' ')
    .replace(/<option value="(?:order\.paid|event\.published)".*?<\/option>/g, ' ')
    .replace(/ data-copy="[^"]*"/g, '')
    .replace(/<[^>]*>/g, '\n')
  return [...attributes, body]
    .flatMap((text) => withoutTexts(text).split('\n'))
    .map((line) => DATA.reduce((rest, data) => rest.replace(data, ''), line.replace(/&[a-z#0-9]+;/g, '')).trim())
    .filter((line) => /\p{Letter}/u.test(line))
}

/** Removes ⟦…⟧, from the inside out. */
function withoutTexts(text: string): string {
  const shorter = text.replace(/⟦[^⟦⟧]*⟧/g, '')
  return shorter === text ? text : withoutTexts(shorter)
}

function matches(pattern: string, path: string): boolean {
  return new RegExp(`^${pattern.replace(/:\w+/g, '[^/]+')}$`).test(path.split('?')[0] ?? '')
}

/** All texts by their path. The text of a function is its source code. */
function leaves(value: object, path = ''): Record<string, string> {
  return Object.assign(
    {},
    ...Object.entries(value).map(([key, inner]) =>
      typeof inner === 'object' ? leaves(inner, `${path}${key}.`) : { [path + key]: String(inner) },
    ),
  )
}
