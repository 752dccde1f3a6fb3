import { spread } from '../lib/format.ts'
import { alternate, ratios } from '../lib/rounds.ts'
import type { Section } from '../lib/section.ts'
import { startSink } from '../lib/sink.ts'
import { type Contender, fetching, ours, undici } from './contenders.ts'
import { type LoadOptions, load, once } from './load.ts'

const ROUND_MS = 1_200

/** The raw loop of the issue, what a worker's hundred lanes do, and more targets than connections are kept for. */
const LOADS: Readonly<Record<string, Omit<LoadOptions, 'ms'>>> = {
  '200 targets, 64 in flight': { targets: 200, inFlight: 64 },
  '200 targets, 640 in flight, 10 to a target at once': { targets: 200, inFlight: 640, burst: 10 },
  '2,000 targets, 64 in flight': { targets: 2_000, inFlight: 64 },
}

type Name = 'ours' | 'undici' | 'fetch'

export const section: Section = {
  title: 'The transport',
  async measure() {
    const rows: string[][] = []
    const goals = []
    const sink = await startSink()
    for (const [what, options] of Object.entries(LOADS)) {
      const contenders: Readonly<Record<Name, Contender>> = {
        ours: ours(sink),
        undici: undici(sink),
        fetch: fetching(sink),
      }
      for (const { send } of Object.values(contenders)) await once(send, options)
      const cpu: Record<Name, number[]> = { ours: [], undici: [], fetch: [] }
      const round = (name: Name) => async (): Promise<number> => {
        const { perSecond, cpuMicros } = await load(contenders[name].send, { ...options, ms: ROUND_MS })
        cpu[name].push(cpuMicros)
        return perSecond
      }
      const reached = await alternate({ ours: round('ours'), undici: round('undici'), fetch: round('fetch') })
      for (const name of ['ours', 'undici', 'fetch'] as const)
        rows.push([what, name, spread(reached[name]), spread(cpu[name].slice(1))])
      goals.push({ what: `ours beside undici, ${what}`, atLeast: 0.8, rounds: ratios(reached.ours, reached.undici) })
      for (const { stop } of Object.values(contenders)) await stop()
    }
    await sink.stop()
    return { tables: [{ columns: ['', '', 'requests/s', 'CPU µs a request'], rows }], goals, notes: [] }
  },
}
