import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { build } from 'esbuild'

// Uses `require`, because TypeScript finds no types for an import of workerd.
const { default: workerd }: { readonly default: string } = createRequire(import.meta.url)('workerd')

/** A program served by workerd, the runtime of Cloudflare Workers. */
export interface Workerd {
  readonly url: string
  stop(): Promise<void>
}

/**
 * Serves the `handle(request, env)` that a file exports, bundled as Wrangler does. The program receives the strings in
 * `env`, and can reach servers on this machine.
 */
export async function startWorkerd(file: string, env: Readonly<Record<string, string>>): Promise<Workerd> {
  const folder = await mkdtemp(join(tmpdir(), 'callboard-workerd-'))
  await build({
    stdin: {
      contents: `import { handle } from ${JSON.stringify(file)}\nexport default { fetch: handle }`,
      resolveDir: '/',
    },
    bundle: true,
    format: 'esm',
    conditions: ['workerd', 'worker', 'browser'],
    outfile: join(folder, 'worker.js'),
  })
  const config = join(folder, 'config.capnp')
  await writeFile(config, configOf(env))
  // workerd chooses a free port and reports it.
  const server = spawn(workerd, ['serve', config, '--control-fd=1'], { stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(server, 'exit')
  const stop = async (): Promise<void> => {
    server.kill('SIGKILL')
    await exited
    await rm(folder, { recursive: true })
  }
  for await (const line of createInterface(server.stdout)) {
    const { event, port }: { event: string; port: number } = JSON.parse(line)
    if (event === 'listen') return { url: `http://127.0.0.1:${port}/`, stop }
  }
  await stop()
  throw new Error('workerd did not start')
}

function configOf(env: Readonly<Record<string, string>>): string {
  const bindings = Object.entries(env).map(([name, text]) => `(name = "${name}", text = ${JSON.stringify(text)})`)
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .main), (name = "internet", network = (allow = ["private"]))],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
const main :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "worker.js")],
  compatibilityDate = "2026-11-01",
  bindings = [${bindings.join(', ')}],
);
`
}
