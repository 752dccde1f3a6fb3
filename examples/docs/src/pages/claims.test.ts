// Compares what the pages say about packages, API routes, scopes and limits with the code. The tests read only tables,
// code spans, and numbers with a unit, so sentences can be rewritten freely. Other tests check links and code blocks
// (pages.test.ts), commands (packages/cli), permissions (packages/dashboard), and the worker's defaults
// (packages/delivery).
import { existsSync, readdirSync } from 'node:fs'
import { SCOPES } from '@callboard/core'
import { EVENT_TYPES_COUNT, KEY_NAME_LENGTH, PAGE_LIMIT, TARGET_URL_MAX_LENGTH } from '@callboard/core/engine'
import { DEFAULT_RETRY_SCHEDULE } from '@callboard/delivery'
import { describe, expect, it } from 'vitest'
import { measureLimits } from './measure-limits.ts'
import { codeSpans, numberOf, quantities, tablesOf } from './page-structures.ts'
import { absolute, markdownFiles, readSource } from './repository.ts'

const { defaults, rates, bodyBytes, routes } = await measureLimits()
const PAGES = markdownFiles('README.md', 'CONTRIBUTING.md', 'docs/*.md', 'examples/README.md', 'packages/*/README.md')

const rowsOf = (page: string): (readonly string[])[] => tablesOf(readSource(page)).flatMap(({ rows }) => rows)

describe('packages', () => {
  const published = readdirSync(absolute('packages'))
    .filter((folder) => existsSync(absolute(`packages/${folder}/package.json`)))
    .map((folder) => ({ folder, ...JSON.parse(readSource(`packages/${folder}/package.json`)) }))
    .filter((manifest) => manifest.private !== true)
  const entries = published.flatMap(({ name, publishConfig }) =>
    Object.keys(publishConfig.exports).map((entry) => name + entry.slice(1)),
  )

  it('are exactly those that README.md lists, each with a link to its own README', () => {
    const links = published.map(({ name, folder }) => `[\`${name}\`](./packages/${folder}/README.md)`)
    const listed = rowsOf('README.md').flatMap(([first = '']) => (first.includes('](./packages/') ? first : []))
    expect(listed.sort()).toEqual(links.sort())
  })

  it.each(PAGES)('named in %s exist, as do the entry points named there', (page) => {
    const named = readSource(page).match(/@callboard\/[a-z-]+(?:\/[a-z-]+)?/g) ?? []
    expect(named.filter((name) => !entries.includes(name))).toEqual([])
  })
})

describe('routes', () => {
  it('match the list of routes and scopes in the router’s README', () => {
    const listed = rowsOf('packages/router/README.md').flatMap(([first = '', second = '']) => {
      const [, method, path] = /^`([A-Z]+) (\/v1\S*)`$/.exec(first) ?? []
      return method === undefined ? [] : [{ method, path, scope: codeSpans(second)[0] }]
    })
    expect(listed).toEqual(routes)
  })

  it.each(PAGES)('named in the code spans of %s exist', (page) => {
    const isKnown = (span: string): boolean =>
      routes.some(({ method, path }) =>
        new RegExp(`^${method === 'GET' ? '(?:GET|HEAD)' : method} ${path.replace(/:\w+/, '[^/]+')}(?:[?#]|$)`).test(
          span,
        ),
      )
    const named = codeSpans(readSource(page)).filter((span) => /^[A-Z]+ \/v1\//.test(span))
    expect(named.filter((span) => !isKnown(span))).toEqual([])
  })

  it.each(PAGES)('in the URLs of %s exist', (page) => {
    const named = readSource(page).match(/\/v1\/[a-z][\w/-]*/g) ?? []
    const known = routes.map(({ path }) => path.replace(/:\w+$/, ''))
    expect(named.filter((path) => !known.some((each) => path === each || path.startsWith(`${each}/`)))).toEqual([])
  })
})

it('docs/keys-and-scopes.md lists every scope', () => {
  const tables = tablesOf(readSource('docs/keys-and-scopes.md')).filter(({ header }) => header[0] === 'scope')
  const listed = tables.flatMap(({ rows }) => rows.flatMap(([first = '']) => codeSpans(first)))
  expect(listed.sort()).toEqual([...SCOPES].sort())
})

describe('numbers', () => {
  const retriesMs = DEFAULT_RETRY_SCHEDULE.reduce((sum, wait) => sum + wait, 0)
  const hours = Math.round(retriesMs / 3_600_000)
  const migrations = readdirSync(absolute('packages/store-postgres/src/lib/schema/migrations')).filter((name) =>
    /^\d/.test(name),
  )

  it.each(PAGES)('in the columns “default” and “limit” of %s are the defaults of the options', (page) => {
    for (const { header, rows } of tablesOf(readSource(page))) {
      const column = header.findIndex((name) => name === 'default' || name === 'limit')
      for (const row of column < 0 ? [] : rows) {
        const options = row.map((cell) => /^`([^`]+)`/.exec(cell)?.[1] ?? '')
        const known = options.flatMap((option) => defaults[option] ?? [])
        expect(quantities(row[column] ?? ''), row.join(' | ')).toEqual(expect.arrayContaining(known))
      }
    }
  })

  it.each([
    [/events per page/, [PAGE_LIMIT.min, PAGE_LIMIT.max, PAGE_LIMIT.default]],
    [/request body/, [bodyBytes]],
    [/event types per subscription/, [EVENT_TYPES_COUNT.min, EVENT_TYPES_COUNT.max]],
    [/`targetUrl`/, [TARGET_URL_MAX_LENGTH]],
    [/name of a key/, [KEY_NAME_LENGTH.max]],
    [/attempts per delivery/, [DEFAULT_RETRY_SCHEDULE.length + 1, hours * 3_600_000]],
  ])('in the row %s of docs/limits.md are those that the code enforces', (what, limits) => {
    const [, limit = ''] = rowsOf('docs/limits.md').find(([first = '']) => what.test(first)) ?? []
    expect(quantities(limit)).toEqual(expect.arrayContaining(limits))
  })

  // `#` stands for a number in digits or words.
  it.each([
    ['# subscriptions per (?:account|mode)', defaults['maxSubscriptions']],
    ['(\\d+) event types', [EVENT_TYPES_COUNT.max]],
    ['#(?: requests)? (?:a|per) second, # in (?:ten|10) seconds,?(?: and)? # (?:a|per) minute', rates],
    ['event up to # KiB', defaults['maxEventBytes']?.map((bytes) => bytes / 1024)],
    ['request body up to # KiB', [bodyBytes / 1024]],
    ['about # hours', [hours]],
    ['# (?:operations|endpoints|routes)', [routes.length]],
    ['# (?:migrations|applied)', [migrations.length]],
  ])('are correct wherever a page says “%s”', (words, limits) => {
    const pattern = words.replaceAll('#', '(\\d[\\d,]*|one|two|three|four|five|six|seven|eight|nine|ten)')
    // docs/comparison.md is left out, because it also has numbers for other products.
    for (const page of PAGES.filter((name) => name !== 'docs/comparison.md')) {
      const text = readSource(page).replace(/\s+/g, ' ')
      for (const [claim, ...numbers] of text.matchAll(new RegExp(`\\b${pattern}\\b`, 'g')))
        expect(numbers.map(numberOf), `${page}: ${claim}`).toEqual(limits)
    }
  })
})

describe('what docs/comparison.md says about Callboard', () => {
  const page = readSource('docs/comparison.md')
  const [features = { header: [], rows: [] }] = tablesOf(page)
  const ours = new Map(features.rows.map(([what = '', answer = '']) => [what, answer]))

  it.each([...ours].filter(([, answer]) => answer.includes('yes')))(
    '“%s” links to the page that shows it',
    (_, answer) => {
      expect(answer).toMatch(/^\[yes[^\]]*\]\(\.\/[a-z-]+\.md\)$/)
    },
  )

  it('lacks what a subscription cannot ask for', () => {
    for (const what of ['filters by content', 'own headers per endpoint', 'OAuth2 or mTLS to the target', 'MCP server'])
      expect(ours.get(what), what).toBe('no')
    const { components } = JSON.parse(readSource('packages/router/openapi.json'))
    const fields = Object.keys(components.schemas.WebhookSubscriptionInput.properties)
    expect(fields).toEqual(['targetUrl', 'eventTypes', 'integration', 'externalRef', 'apiVersion'])
  })

  it('has the duration of the retries, and what the router offers to customers', () => {
    expect(page.replace(/\s+/g, ' ')).toContain('ours ends after about 76.')
    expect(Math.round(DEFAULT_RETRY_SCHEDULE.reduce((sum, wait) => sum + wait, 0) / 3_600_000)).toBe(76)
    expect(routes.some(({ path }) => path === '/v1/events')).toBe(true)
    for (const call of [/\/attempts$/, /\/resend$/]) expect(routes.some(({ path }) => call.test(path))).toBe(true)
  })
})

it('README.md gives the figures that the last run of the bench wrote', () => {
  const rows = rowsOf('bench/RESULTS.md')
  const rateOf = (contender: string): number =>
    numberOf(rows.find(([, what]) => what === `deliveries/s: ${contender}`)?.[3]?.replace(/ \(.+/, '') ?? '')
  const ours = rateOf('Callboard, only published')
  const about = (Math.round(ours / 1_000) * 1_000).toLocaleString('en')
  const times = (ours / rateOf('graphile-worker')).toFixed(1)
  const text = readSource('README.md').replace(/\s+/g, ' ')
  expect(text).toContain(`delivers about ${about} events a second`)
  expect(text).toContain(`${times} times as many as graphile-worker`)
})
