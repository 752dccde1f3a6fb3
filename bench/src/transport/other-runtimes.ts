import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { RUNTIMES } from '@callboard/runtimes'
import type { Sink } from '../lib/sink.ts'
import type { RuntimeReport } from './runtime-program.ts'

/**
 * Compares our transport with the runtime's own `fetch` on Node, Bun and Deno. Bun and Deno have no faster way to send
 * a request.
 */
export async function measureRuntimes(sink: Sink): Promise<ReadonlyMap<string, RuntimeReport>> {
  const folder = await mkdtemp(join(tmpdir(), 'callboard-bench-'))
  const ca = join(folder, 'ca.pem')
  await writeFile(ca, sink.ca)
  const program = fileURLToPath(new URL('./runtime-program.ts', import.meta.url))
  const env = { ...process.env, NODE_EXTRA_CA_CERTS: ca }
  // Deno's fetch accepts no self-signed certificate.
  const lenient = ['--unsafely-ignore-certificate-errors=127.0.0.1']
  const reports = new Map<string, RuntimeReport>()
  try {
    for (const { name, command, args } of RUNTIMES) {
      if (!['Node 24', 'Bun', 'Deno'].includes(name)) continue
      const url = `https://127.0.0.1:${sink.port}/hook`
      const { stdout } = await promisify(execFile)(
        command,
        [...args, ...(name === 'Deno' ? lenient : []), program, url, ca],
        { env, timeout: 30_000 },
      )
      reports.set(name, JSON.parse(stdout))
    }
  } finally {
    await rm(folder, { recursive: true })
  }
  return reports
}
