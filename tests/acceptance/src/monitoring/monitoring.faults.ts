// Checks the alert rules and the Grafana dashboard of monitoring/ with a real Prometheus that scrapes a real platform.
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Prometheus, runPromtool, startPrometheus } from '@callboard/testbed'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { SCHEMAS } from './dashboard-schema.ts'
import { type ScrapedPlatform, startScrapedPlatform } from './scraped-platform.ts'

const MONITORING = fileURLToPath(new URL('../../../../monitoring', import.meta.url))
const DOCS = fileURLToPath(new URL('../../../../docs', import.meta.url))
const fileIn = (name: string): string => join(MONITORING, name)

const DOCS_LINK = /^\$\{docs\}\//
const datasource = z.object({ uid: z.string().regex(/^\$\{datasource\}$/) })
const queryPanel = z.object({
  type: z.enum(['stat', 'timeseries']),
  title: z.string(),
  datasource,
  links: z.tuple([z.object({ url: z.string().regex(DOCS_LINK) })]),
  options: z.unknown(),
  targets: z.array(z.looseObject({ expr: z.string(), datasource })),
})
const panel = z.union([z.object({ type: z.literal('row'), title: z.string() }), queryPanel])
const dashboardFile: unknown = JSON.parse(await readFile(fileIn('grafana-dashboard.json'), 'utf8'))
const panels = z
  .object({ panels: z.array(panel) })
  .parse(dashboardFile)
  .panels.filter((each) => each.type !== 'row')
const queries = panels.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ title, expr })))

const rulesSchema = z.object({
  groups: z.array(z.object({ rules: z.array(z.object({ name: z.string(), query: z.string() })) })),
})

let platform: ScrapedPlatform
let prometheus: Prometheus
let folder: string | undefined

beforeAll(async () => {
  platform = await startScrapedPlatform()
  folder = await mkdtemp(join(tmpdir(), 'callboard-monitoring-'))
  await cp(MONITORING, folder, { recursive: true })
  const configuration = join(folder, 'prometheus.yml')
  const shown = await readFile(configuration, 'utf8')
  await writeFile(configuration, shown.replace('127.0.0.1:9464', platform.address).replace(': 15s', ': 1s'))
  prometheus = await startPrometheus(configuration)
})
afterAll(async () => {
  await prometheus?.stop()
  await platform?.stop()
  if (folder !== undefined) await rm(folder, { recursive: true })
})

async function seriesOf(query: string): Promise<number> {
  const { result } = z.object({ result: z.array(z.unknown()) }).parse(await prometheus.ask('query', { query }))
  return result.length
}

async function rules() {
  const { groups } = rulesSchema.parse(await prometheus.ask('rules'))
  return groups.flatMap((group) => group.rules)
}

describe('the alert rules', () => {
  it('pass promtool, with their unit tests and the configuration that loads them', async () => {
    await runPromtool('check', 'config', fileIn('prometheus.yml'))
    await runPromtool('check', 'rules', fileIn('alerts.yml'))
    await runPromtool('test', 'rules', fileIn('alerts.test.yml'))
  })

  it('each have a unit test in which they fire, and one in which they do not', async () => {
    const tests = await readFile(fileIn('alerts.test.yml'), 'utf8')
    for (const { name } of await rules()) {
      expect(tests).toMatch(new RegExp(`alertname: ${name}\\n +exp_alerts: \\[\\]`))
      expect(tests).toMatch(new RegExp(`alertname: ${name}\\n +exp_alerts:\\n +- exp_labels`))
    }
  })

  it('can be evaluated, and name only metrics and labels that a platform reports', async () => {
    const found = await rules()
    expect(found).not.toEqual([])
    for (const { name, query } of found) {
      await seriesOf(query)
      for (const [selector] of query.matchAll(/(?:callboard|http_server|messaging_client)_\w+(?:\{[^}]*\})?/g)) {
        const [metric = '', labels = ''] = selector.split('{')
        // `by (callboard_event_version)` names a label, and every other match is a metric.
        const isLabel = new RegExp(`by \\(${metric}\\)`).test(query)
        const asked = [...labels.matchAll(/(\w+)(?:=|!)/g)].map(([, label]) => `${label}!=""`)
        const exists = isLabel ? `{${metric}!=""}` : `${metric}{${asked.join(',')}}`
        await expect.poll(() => seriesOf(exists), { message: `${name}: ${exists}` }).toBeGreaterThan(0)
      }
    }
  })
})

describe('the dashboard', () => {
  it('fits the schema of Grafana', () => {
    expect(SCHEMAS.dashboard(dashboardFile), JSON.stringify(SCHEMAS.dashboard.errors)).toBe(true)
    for (const { type, title, options, targets } of panels) {
      expect(SCHEMAS[type](options), `${title}: ${JSON.stringify(SCHEMAS[type].errors)}`).toBe(true)
      for (const target of targets)
        expect(SCHEMAS.query(target), `${title}: ${JSON.stringify(SCHEMAS.query.errors)}`).toBe(true)
    }
  })

  it('links each panel to a section of the docs that exists', async () => {
    for (const { links } of panels) {
      const [page = '', section] = links[0].url.replace(DOCS_LINK, '').split('#')
      const headings = [...(await readFile(join(DOCS, page), 'utf8')).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
        heading
          .toLowerCase()
          .replaceAll(/[^\w -]/g, '')
          .replaceAll(' ', '-'),
      )
      if (section !== undefined) expect(headings, links[0].url).toContain(section)
    }
  })

  it.each(queries)('shows at least one series in “$title”: $expr', async ({ expr }) => {
    expect(expr).toContain('job=~"$job", instance=~"$instance"')
    const query = expr.replaceAll('$__rate_interval', '1m').replaceAll(/"\$(?:job|instance)"/g, '".+"')
    await expect.poll(() => seriesOf(query), { message: query }).toBeGreaterThan(0)
  })
})
