import process from 'node:process'
import { startWorker, type Worker } from '@callboard/delivery'
import { Command, Option } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { CommandError, EXIT } from '../command-error.ts'
import { examples } from '../examples.ts'
import { parsePort } from '../parse-port.ts'
import { startHealthServer } from '../worker/health-server.ts'
import { limitHeap } from '../worker/limit-heap.ts'
import { createWorkerLog, logged } from '../worker/worker-log.ts'

interface WorkerCommandOptions {
  readonly healthPort?: number
  readonly healthHost?: string
  readonly name?: string
  readonly quiet?: boolean
}

/** `callboard worker`: delivers events until it is stopped. */
export function workerCommand(context: CommandContext): Command {
  return new Command('worker')
    .summary('deliver events until it is stopped')
    .description(
      'Runs a worker, which sequences and delivers the events that your platform publishes. Run as many as you like. ' +
        'After SIGINT or SIGTERM, deliveries in flight have graceMs (an option of your config) to finish; ' +
        'a second signal aborts them. Logs go to stderr, one line each, as JSON unless stderr is a terminal.',
    )
    .addOption(
      new Option('--health-port <port>', 'answer probes on this port: /livez and /readyz').argParser(parsePort),
    )
    .addOption(new Option('--health-host <address>', 'the address to answer probes on').default('127.0.0.1'))
    .option('--name <name>', 'name of the worker in the database (default: a random one)')
    .option('--quiet', 'log nothing; your own hooks are still called')
    .addHelpText('after', examples('callboard worker', 'callboard worker --health-port 8080 --health-host 0.0.0.0'))
    .action(async ({ healthPort, healthHost, name, quiet }: WorkerCommandOptions) => {
      limitHeap()
      const { callboard, worker: options } = await context.platform('your catalogue and secret keys')
      const { stderr } = process
      const json = context.out.json || stderr.isTTY !== true
      const log = quiet === true ? () => undefined : createWorkerLog({ stream: stderr, json })
      let giveUp = (): void => undefined
      const signal = context.signal(() => giveUp())
      const aborted = new Promise<undefined>((resolve) => signal.addEventListener('abort', () => resolve(undefined)))
      let worker: Worker | undefined
      // Answers probes before the worker starts, because `startWorker` waits for a database that is down.
      const probes =
        healthPort === undefined
          ? undefined
          : await startHealthServer({ port: healthPort, host: healthHost, workerHealth: () => worker?.health() })
      try {
        log({ level: 'info', message: 'the worker is starting', fields: probes && { healthPort: probes.port } })
        const settings = { ...options, name: name ?? options?.name, signal }
        worker = await Promise.race([startWorker(logged(callboard, log), settings), aborted])
        if (worker === undefined) return log({ level: 'info', message: 'the worker was stopped before it had started' })
        log({ level: 'info', message: 'the worker has started' })
        signal.addEventListener('abort', () =>
          log({ level: 'info', message: 'the worker is stopping, and waits for deliveries in flight' }),
        )
        const { stop, stopped } = worker
        let givenUp = false
        giveUp = () => {
          givenUp = true
          void stop()
        }
        await stopped
        if (givenUp)
          throw new CommandError('Aborted the deliveries in flight. They will be sent again.', {
            exitCode: EXIT.interrupted,
          })
      } finally {
        probes?.close()
      }
      log({ level: 'info', message: 'the worker has stopped' })
    })
}
