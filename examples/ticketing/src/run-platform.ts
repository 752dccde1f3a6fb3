import process from 'node:process'
import { announcement } from './announcement.ts'
import { prepareDataDir } from './data-dir.ts'
import { writeDemoAccess } from './demo-file.ts'
import { type Environment, readEnvironment } from './environment.ts'
import { hasCode } from './kept-file.ts'
import { createTicketingPlatform } from './platform.ts'
import { StartError } from './start-error.ts'

/** Serves a fetch handler. Each runtime's entry file implements this. */
export type Listen = (options: {
  readonly fetch: (request: Request) => Promise<Response>
  readonly port: number
  /** The address to listen on: this machine only, because the admin token allows everything. */
  readonly hostname: string
}) => Promise<{ readonly port: number; close(): Promise<void> }>

/**
 * A second signal within this time is ignored. It comes from the same Ctrl-C, which npm and pnpm forward although the
 * terminal has sent it to this process as well.
 */
const SAME_SIGNAL_MS = 500

/**
 * The whole program: reads the environment, starts, and stops on SIGINT or SIGTERM. A second signal stops the program
 * at once.
 */
export async function runPlatform(listen: Listen): Promise<void> {
  try {
    await run(listen)
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    console.error(error.message)
    process.exitCode = 1
  }
}

async function run(listen: Listen): Promise<void> {
  const startedAt = performance.now()
  const environment = readEnvironment(process.env)
  await prepareDataDir(environment.dataDir)
  console.log(
    environment.databaseUrl === undefined
      ? 'Opening the embedded Postgres (the first time takes a few seconds) …'
      : 'Connecting to Postgres …',
  )
  const platform = await createTicketingPlatform({ ...environment, log: (line) => console.error(line) })
  const server = await listening(listen, platform.fetch, environment).catch(async (error: unknown) => {
    await platform.close()
    throw error
  })
  const url = `http://localhost:${server.port}`
  await writeDemoAccess(environment.dataDir, { url, keyId: platform.demoKey.id, key: platform.demoKey.key })

  let stoppingSince: number | undefined
  const stop = async (): Promise<void> => {
    const now = performance.now()
    if (stoppingSince === undefined) {
      stoppingSince = now
      console.log('Stopping; waiting for deliveries in flight …')
      await Promise.all([server.close(), platform.close()])
      console.log('Stopped.')
      process.exit(0)
    }
    if (now - stoppingSince < SAME_SIGNAL_MS) return
    console.log('Stopped at once. Deliveries in flight are sent again at the next start.')
    process.exit(1)
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void stop())

  console.log(announcement({ url, platform, environment, milliseconds: performance.now() - startedAt }))
}

async function listening(
  listen: Listen,
  fetch: (request: Request) => Promise<Response>,
  { port }: Environment,
): ReturnType<Listen> {
  try {
    return await listen({ fetch, port, hostname: '127.0.0.1' })
  } catch (error) {
    // If the port is in use, only the error's code says so on Bun, and only the error's name on Deno.
    const isTaken = hasCode(error, 'EADDRINUSE') || (error instanceof Error && error.name === 'AddrInUse')
    if (isTaken) throw new StartError(`Port ${port} is in use. Set PORT to another one, or to 0 for any free port.`)
    throw error
  }
}
