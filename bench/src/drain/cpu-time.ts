import { readdirSync } from 'node:fs'
import { cpuOf, readProc } from '../lib/process-cpu.ts'

/** CPU microseconds that the processes of each role have used so far. */
export interface CpuTime {
  readonly contender: number
  readonly receiver: number
  readonly postgres: number
}

const ROLES = [
  ['contender', /callboard-worker|raw-loop|bare-queue/],
  ['receiver', /sink-process/],
  ['postgres', /^(?:\S*\/)?postgres\b/],
] as const

/** Adds up the CPU time of the processes that run now, by role; undefined if the machine has no `/proc`. */
export function cpuTime(): CpuTime | undefined {
  const time = { contender: 0, receiver: 0, postgres: 0 }
  try {
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
      const role = ROLES.find(([, command]) => command.test(readProc(`${pid}/cmdline`)))?.[0]
      if (role !== undefined) time[role] += cpuOf(pid)
    }
    return time
  } catch {
    return undefined
  }
}
