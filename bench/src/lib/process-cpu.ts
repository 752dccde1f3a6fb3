import { readFileSync } from 'node:fs'

/** One tick of the kernel's process accounting, in microseconds. */
const TICK = 10_000

/** The CPU microseconds that a process has used so far; 0 if it has just exited. Needs `/proc`. */
export function cpuOf(pid: number | string): number {
  return TICK * ticksOf(pid)
}

/** Reads a file in `/proc`; returns an empty string if the process that it describes has just exited. */
export function readProc(file: string): string {
  try {
    return readFileSync(`/proc/${file}`, 'utf8')
  } catch {
    return ''
  }
}

/** Fields are counted from the last parenthesis: it ends the command name, which may contain spaces. */
function ticksOf(pid: number | string): number {
  const stat = readProc(`${pid}/stat`)
  const [user = '0', system = '0'] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
  return Number(user) + Number(system)
}
