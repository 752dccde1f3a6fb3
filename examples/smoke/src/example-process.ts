import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import * as z from 'zod'

const root = fileURLToPath(new URL('../../..', import.meta.url))

export interface StartExampleOptions {
  /** Binary and entry file, relative to the workspace root. */
  readonly command: readonly [binary: string, ...values: string[]]
  readonly dataDir: string
  readonly environment?: Readonly<Record<string, string>> | undefined
}

export interface ExampleProcess {
  readonly url: string
  /**
   * The demo account's key; undefined if it was issued in an earlier run, because the platform shows a key only once.
   */
  readonly key: string | undefined
  readonly output: () => string
  /** Calls the platform as a customer does, with the demo account's key or with the given token. */
  call(method: string, path: string, options?: CallOptions): Promise<{ status: number; body: unknown }>
  /** Sells a ticket and returns the id of its event. */
  sell(): Promise<string>
  /** Resolves to the exit code, or to null if the signal killed the process. */
  signal(signal: 'SIGINT' | 'SIGTERM' | 'SIGKILL'): Promise<number | null>
}

interface CallOptions {
  readonly token?: string | undefined
  readonly body?: object | undefined
}

const sale = z.object({ event: z.object({ id: z.string() }) })

/** Starts an example as a separate process, on a free port, and waits until it reports that it is ready. */
export async function startExample({
  command,
  dataDir,
  environment = {},
}: StartExampleOptions): Promise<ExampleProcess> {
  const [binary, ...values] = command
  const { PATH = '', HOME = '', NODE_COMPILE_CACHE = '' } = process.env
  const child = spawn(binary, values, {
    cwd: root,
    env: { PATH, HOME, NODE_COMPILE_CACHE, DATA_DIR: dataDir, PORT: '0', SIMULATE: '0', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  // Kills the example even if a test times out and never reaches its cleanup.
  process.once('exit', () => child.kill('SIGKILL'))
  let output = ''
  const ready = Promise.withResolvers<string>()
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk
      const [, url] = / is ready on (\S+) .*Stop: /s.exec(output) ?? []
      if (url !== undefined) ready.resolve(url)
    })
  child.once('error', ready.reject)
  // Waits for `close`, because `exit` can come before the last of the output.
  const exited = once(child, 'close')
  exited.then(
    ([code]) => ready.reject(new Error(`${binary} exited with ${code}:\n${output}`)),
    () => undefined,
  )
  const url = await ready.promise
  const [key] = /\bcb_live_\w+/.exec(output) ?? []
  const [, adminToken = ''] = /Admin token +(\S+)/.exec(output) ?? []

  const call: ExampleProcess['call'] = async (method, path, { token = key, body } = {}) => {
    const response = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
    })
    const text = await response.text()
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
  }
  return {
    url,
    key,
    output: () => output,
    call,
    async sell() {
      const { body } = await call('POST', '/demo/orders', { token: adminToken })
      return sale.parse(body).event.id
    },
    async signal(signal) {
      child.kill(signal)
      const [code] = await exited
      return z.int().nullable().parse(code)
    },
  }
}
