import { readFileSync } from 'node:fs'

/** The memory and CPU time that a process takes. */
export interface Footprint {
  /** The resident set in MiB. It counts Node's own code, about 50 MiB, for each process. */
  readonly residentMiB: number
  /** The proportional set in MiB: memory that several processes share, such as Node's code, is divided among them. */
  readonly proportionalMiB: number
  /** CPU time so far, in milliseconds. */
  readonly cpuMs: number
}

/** Measures this process. Needs Linux. */
export function footprint(): Footprint {
  const rollup = readFileSync('/proc/self/smaps_rollup', 'utf8')
  const mib = (name: string): number => Number(new RegExp(`^${name}: +(\\d+) kB$`, 'm').exec(rollup)?.[1]) / 1024
  const { user, system } = process.cpuUsage()
  return { residentMiB: mib('Rss'), proportionalMiB: mib('Pss'), cpuMs: (user + system) / 1000 }
}
