import process from 'node:process'
import { announcement } from './announcement.ts'
import { prepareDataDir } from './data-dir.ts'
import { writeDemoAccess } from './demo-file.ts'
import { type Environment, readEnvironment } from './environment.ts'
import { hasCode } from './kept-file.ts'
import { createTicketingPlatform } from './platform.ts'
import { StartError } from './start-error.ts'

/** What an entry file knows of its runtime: how to serve a fetch handler. */
export type Listen = (options: {
  readonly fetch: (request: Request) => Promise<Response>
  readonly port: number
  /** This machine only: whoever reaches the demo with its admin token can do anything. */
  readonly hostname: string
}) => Promise<{ readonly port: number; close(): Promise<void> }>

/** npm and pnpm pass on a Ctrl-C that the terminal has sent to everybody already. */
const SAME_SIGNAL_MS = 500

/** The whole program: reads the environment, starts, tells, and stops on SIGINT or SIGTERM; a second one does not wait. */
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
      console.log('Stopping: what is in flight may end …')
      await Promise.all([server.close(), platform.close()])
      console.log('Stopped.')
      process.exit(0)
    }
    if (now - stoppingSince < SAME_SIGNAL_MS) return
    console.log('Stopped at once. What was in flight is sent again at the next start.')
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
    // Bun says nothing of the code but in the code, Deno nothing but in the name.
    const isTaken = hasCode(error, 'EADDRINUSE') || (error instanceof Error && error.name === 'AddrInUse')
    if (isTaken) throw new StartError(`Port ${port} is taken. Set PORT to another; PORT=0 takes any that is free.`)
    throw error
  }
}
