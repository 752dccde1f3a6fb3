import { Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { CommandError, interrupted } from '../command-error.ts'
import { examples } from '../examples.ts'

/** So many steps of a few milliseconds between two looks at Ctrl-C. */
const STEPS = 20

/** `callboard retention …`: removing what has been kept long enough. */
export function retentionCommand(context: CommandContext): Command {
  const { err } = context
  const retention = new Command('retention').description('Removes data that has been kept long enough.')

  retention
    .command('run')
    .description(
      'Removes data kept longer than your platform wants (the option retention of createCallboard). Workers do this every hour by themselves. It works in small steps that block nobody; if you interrupt it, run it again.',
    )
    .addHelpText('after', examples('callboard retention run'))
    .action(async () => {
      // The defaults in place of the platform's own horizons would remove what it means to keep.
      const callboard = await context.open('your own horizons')
      const signal = context.signal()
      const removed = { events: 0, expired: 0, attempts: 0, responses: 0, subscriptions: 0 }
      const told = (): string =>
        `${removed.events} events, ${removed.attempts} attempts, ${removed.responses} responses and ${removed.subscriptions} subscriptions removed; ${removed.expired} deliveries expired`
      for (;;) {
        const { hasMore, busy, ...counts } = await callboard.retention.run({ steps: STEPS })
        for (const name of KINDS) removed[name] += counts[name]
        if (busy) throw new CommandError('A worker is doing this right now: there is nothing left to do.')
        if (!hasMore) break
        err.progress(told())
        if (signal.aborted) {
          err.progress('')
          throw interrupted(`Interrupted: ${told()}. Run it again for the rest.`)
        }
      }
      err.progress('')
      context.done(removed, `${told()}.`)
    })

  return retention
}

const KINDS = ['events', 'expired', 'attempts', 'responses', 'subscriptions'] as const
