import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Runtime } from '@callboard/runtimes'
import type { MemoryPlan, MemoryReport } from './memory-program.ts'

const program = fileURLToPath(new URL('./memory-program.ts', import.meta.url))

/** Runs `memory-program.ts` on a runtime that trusts the authority in `caFile`, and waits for it to exit. */
export async function measureMemory(
  { command, args }: Runtime,
  caFile: string,
  plan: MemoryPlan,
): Promise<MemoryReport> {
  const env = { ...process.env, NODE_EXTRA_CA_CERTS: caFile }
  const child = spawn(command, [...args, program], { env, stdio: ['pipe', 'pipe', 'inherit'] })
  process.once('exit', () => child.kill('SIGKILL'))
  child.stdin.end(`${JSON.stringify(plan)}\n`)
  const exited = once(child, 'exit')
  const output = Buffer.concat(await child.stdout.toArray()).toString()
  const [code] = await exited
  if (code !== 0) throw new Error(`${command} ended with ${code}: ${output}`)
  return JSON.parse(output)
}
