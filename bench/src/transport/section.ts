import { spread } from '../lib/format.ts'
import { alternate, ratios } from '../lib/rounds.ts'
import type { Goal, Section, Table } from '../lib/section.ts'
import { type Sink, startSink } from '../lib/sink.ts'
import { type Contender, fetching, ours, undici } from './contenders.ts'
import { type LoadOptions, load, once } from './load.ts'
import { measureRuntimes } from './other-runtimes.ts'

const ROUND_MS = 600
const ROUNDS = 5
const RAW_LOOP = { targets: 200, inFlight: 64 }
const DEEP = { targets: 200, inFlight: 640, burst: 10 }
const WIDE = { targets: 2_000, inFlight: 64 }

type Name = 'ours' | 'undici' | 'fetch'

const nameOf = ({ targets, inFlight, burst = 1 }: Omit<LoadOptions, 'ms'>): string =>
  `${targets.toLocaleString('en')} targets, ${inFlight} in flight${burst > 1 ? `, ${burst} at once to each` : ''}`

/**
 * Measures all contenders under one load, each with its own open connections. Returns their rows for the table, and the
 * goal relative to undici.
 */
async function beside(
  sink: Sink,
  options: Omit<LoadOptions, 'ms'>,
  names: readonly Name[],
): Promise<{ rows: string[][]; goal: Goal }> {
  const make = { ours, undici, fetch: fetching }
  const contenders = new Map<Name, Contender>(names.map((name) => [name, make[name](sink)]))
  const cpu = new Map<Name, number[]>()
  const round = async (name: Name, { send }: Contender): Promise<number> => {
    const { perSecond, cpuMicros } = await load(send, { ...options, ms: ROUND_MS })
    cpu.set(name, [...(cpu.get(name) ?? []), cpuMicros])
    return perSecond
  }
  for (const { send } of contenders.values()) await once(send, options)
  const reached = await alternate(
    Object.fromEntries([...contenders].map(([name, contender]) => [name, () => round(name, contender)])),
    ROUNDS,
  )
  for (const { stop } of contenders.values()) await stop()
  const what = nameOf(options)
  return {
    // The first value is the warm-up's.
    rows: names.map((name) => [what, name, spread(reached[name] ?? []), spread(cpu.get(name)?.slice(1) ?? [])]),
    goal: {
      what: `ours relative to undici, ${what}`,
      atLeast: 0.8,
      rounds: ratios(reached['ours'] ?? [], reached['undici'] ?? []),
    },
  }
}

async function besideFetch(sink: Sink): Promise<Table> {
  const reports = await measureRuntimes(sink)
  return {
    columns: ['one target, 10 in flight', 'ours, requests/s', 'fetch of the runtime', 'ratio'],
    rows: [...reports].map(([runtime, reached]) => [
      runtime,
      spread(reached.ours),
      spread(reached.fetch),
      spread(ratios(reached.ours, reached.fetch)),
    ]),
  }
}

export const section: Section = {
  title: 'The transport',
  async measure() {
    const sink = await startSink()
    const raw = await beside(sink, RAW_LOOP, ['ours', 'undici', 'fetch'])
    const more = [await beside(sink, DEEP, ['ours', 'undici']), await beside(sink, WIDE, ['ours', 'undici'])]
    const onRuntimes = await besideFetch(sink)
    await sink.stop()
    const all = [raw, ...more]
    return {
      tables: [
        { columns: ['', '', 'requests/s', 'CPU µs per request'], rows: all.flatMap(({ rows }) => rows) },
        onRuntimes,
      ],
      goals: all.map(({ goal }) => goal),
      notes: [
        'Each request is a POST of 1 KB with the headers of a delivery, over TLS 1.3 with keep-alive, from one ' +
          'process. Each target is a host of its own, and connections are open before the first round. CPU is that ' +
          'of the whole process. `fetch` is undici’s, as in Node, with the same agent as undici. Both keep every ' +
          'connection they open. No contender uses DNS: each gets 127.0.0.1 from a function. Our transport also ' +
          'checks the address of each new connection. TLS limits our transport: half of its profile is the call that writes to ' +
          'the socket, which encrypts the bytes and enters the kernel.',
      ],
    }
  },
}
