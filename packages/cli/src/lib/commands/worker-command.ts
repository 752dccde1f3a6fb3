import process from 'node:process'
import { startWorker } from '@callboard/delivery'
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
    .addOption(new Option('--health-port <port>', 'answer readiness probes on this port').argParser(parsePort))
    .addOption(new Option('--health-host <address>', 'the address to answer probes on').default('127.0.0.1'))
    .option('--name <name>', 'name of the worker in the database (default: a random one)')
    .option('--quiet', 'log nothing; your own hooks are still called')
    .addHelpText('after', examples('callboard worker', 'callboard worker --health-port 8080 --health-host 0.0.0.0'))
    .action(async ({ healthPort, healthHost, name, quiet }: WorkerCommandOptions) => {
      limitHeap()
      const platform = await context.platform()
      const callboard = await context.open('your catalogue and secret keys')
      const { stderr } = process
      const json = context.out.json || stderr.isTTY !== true
      const log = quiet === true ? () => undefined : createWorkerLog({ stream: stderr, json })
      let giveUp = (): void => undefined
      // Takes over signals before the worker starts, so that a signal during the start stops the worker once it runs.
      const signal = context.signal(() => giveUp())
      const settings = { ...platform.worker, name: name ?? platform.worker?.name, signal }
      const worker = await startWorker(logged(callboard, log), settings)
      const probes =
        healthPort === undefined
          ? undefined
          : await startHealthServer({ port: healthPort, host: healthHost, workerHealth: worker.health }).catch(
              async (error: unknown) => {
                await worker.stop()
                throw error
              },
            )
      log({ level: 'info', message: 'the worker has started', fields: probes && { healthPort: probes.port } })
      signal.addEventListener('abort', () =>
        log({ level: 'info', message: 'the worker is stopping, and waits for deliveries in flight' }),
      )
      let givenUp = false
      giveUp = () => {
        givenUp = true
        void worker.stop()
      }
      await worker.stopped
      probes?.close()
      if (givenUp)
        throw new CommandError('Aborted the deliveries in flight. They will be sent again.', {
          exitCode: EXIT.interrupted,
        })
      log({ level: 'info', message: 'the worker has stopped' })
    })
}
