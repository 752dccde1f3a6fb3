import { readdirSync, readFileSync } from 'node:fs'

/** Microseconds of CPU that each part of a round has taken so far. */
export interface CpuTime {
  readonly contender: number
  readonly receiver: number
  readonly postgres: number
}

/** A tick of the kernel's accounts, in microseconds. */
const TICK = 10_000
const ROLES = [
  ['contender', /callboard-worker|raw-loop/],
  ['receiver', /sink-process/],
  ['postgres', /^(?:\S*\/)?postgres\b/],
] as const

/** By the kernel's accounts of the processes that run now; undefined where there is no `/proc`. */
export function cpuTime(): CpuTime | undefined {
  const time = { contender: 0, receiver: 0, postgres: 0 }
  try {
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
      const role = ROLES.find(([, command]) => command.test(read(`/proc/${pid}/cmdline`)))?.[0]
      if (role !== undefined) time[role] += TICK * ticksOf(read(`/proc/${pid}/stat`))
    }
    return time
  } catch {
    return undefined
  }
}

/** Empty for a process that has just ended. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

/** User and system time. What stands before them, in brackets, may hold blanks. */
function ticksOf(stat: string): number {
  const [user = '0', system = '0'] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
  return Number(user) + Number(system)
}
