import { readFileSync } from 'node:fs'
import type { Pool } from 'pg'

/** One tick of the kernel's process accounting, in microseconds. */
const TICK = 10_000

/** The CPU microseconds that a process has used so far; 0 if it has exited, or if the machine has no `/proc`. */
export function cpuOf(pid: number | string): number {
  return TICK * sum(statOf(pid).slice(11, 13))
}

/** Returns a function that adds up the CPU microseconds of all processes that a Postgres server has had so far. */
export async function watchServerCpu(pool: Pool): Promise<() => number> {
  const { rows } = await pool.query<{ pid: number }>('select pg_backend_pid() as pid')
  const main = statOf(rows[0]?.pid ?? 0)[1] ?? ''
  return () => {
    const running = read(`${main}/task/${main}/children`).split(' ').filter(Boolean)
    const exited = TICK * sum(statOf(main).slice(13, 15))
    return sum([main, ...running].map(cpuOf)) + exited
  }
}

/** The fields of a process after its command name, which ends with the last parenthesis and may contain spaces. */
function statOf(pid: number | string): string[] {
  const stat = read(`${pid}/stat`)
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}

function read(file: string): string {
  try {
    return readFileSync(`/proc/${file}`, 'utf8')
  } catch {
    return ''
  }
}

function sum(values: readonly (number | string)[]): number {
  return values.reduce<number>((total, value) => total + Number(value), 0)
}
