import { readFileSync } from 'node:fs'
import { Client } from 'pg'
import { cpuOf, cpuOfFamily } from '../lib/process-cpu.ts'

/** Returns a function that adds up the CPU microseconds of all processes that a Postgres server has had so far. */
export async function watchServerCpu(url: string): Promise<() => number> {
  const client = new Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  const main = parentOf(rows[0]?.pid ?? 0)
  await client.end()
  return () => childrenOf(main).reduce((sum, pid) => sum + cpuOf(pid), cpuOfFamily(main))
}

function parentOf(pid: number): number {
  return Number(/^PPid:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
}

function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
}
