import { readdirSync, readFileSync } from 'node:fs'

/** CPU microseconds that the processes of each role have used so far. */
export interface CpuTime {
  readonly contender: number
  readonly receiver: number
  readonly postgres: number
}

/** One tick of the kernel's process accounting, in microseconds. */
const TICK = 10_000
const ROLES = [
  ['contender', /callboard-worker|raw-loop/],
  ['receiver', /sink-process/],
  ['postgres', /^(?:\S*\/)?postgres\b/],
] as const

/** Adds up the CPU time of the processes that run now, by role; undefined if the machine has no `/proc`. */
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

/** Reads a file in `/proc`; returns an empty string if the process that it describes has just exited. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

/**
 * Adds the user time and the system time in a process's `stat` file. Fields are counted from the last parenthesis: it
 * ends the command name, which may contain spaces.
 */
function ticksOf(stat: string): number {
  const [user = '0', system = '0'] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
  return Number(user) + Number(system)
}
