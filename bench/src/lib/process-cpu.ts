import { readFileSync } from 'node:fs'

/** One tick of the kernel's process accounting, in microseconds. */
const TICK = 10_000

/** The CPU microseconds that a process has used so far; 0 if it has just exited. Needs `/proc`. */
export function cpuOf(pid: number | string): number {
  return TICK * ticksOf(pid, OWN)
}

/** The CPU microseconds used so far by a process and by those of its children that have exited. */
export function cpuOfFamily(pid: number): number {
  return TICK * (ticksOf(pid, OWN) + ticksOf(pid, OF_EXITED_CHILDREN))
}

/** Reads a file in `/proc`; returns an empty string if the process that it describes has just exited. */
export function readProc(file: string): string {
  try {
    return readFileSync(`/proc/${file}`, 'utf8')
  } catch {
    return ''
  }
}

/**
 * Where a `stat` file has the user time of the process and of its exited children, counted from the field after the
 * command name. The field after each of them is the system time.
 */
const [OWN, OF_EXITED_CHILDREN] = [11, 13] as const

/** Fields are counted from the last parenthesis: it ends the command name, which may contain spaces. */
function ticksOf(pid: number | string, from: number): number {
  const stat = readProc(`${pid}/stat`)
  const [user = '0', system = '0'] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(from, from + 2)
  return Number(user) + Number(system)
}
