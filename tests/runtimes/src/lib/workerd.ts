import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { build } from 'esbuild'

// It has no types that Node's resolution finds.
const { default: workerd }: { readonly default: string } = createRequire(import.meta.url)('workerd')

/** A worker that workerd, the runtime of Cloudflare Workers, serves. */
export interface Workerd {
  readonly url: string
  stop(): Promise<void>
}

/**
 * Serves what a file exports as `handle(request, env)`, bundled as Wrangler does. `env` holds these texts; servers on this
 * machine can be reached.
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
  // On a port that is free, which it tells.
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
