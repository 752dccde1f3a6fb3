import { Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { CommandError, interrupted } from '../command-error.ts'
import { examples } from '../examples.ts'

/** Number of steps between two checks for Ctrl-C. A step takes a few milliseconds, so Ctrl-C stops the command soon. */
const STEPS = 20

/** `callboard retention …`: removes data that has been kept long enough. */
export function retentionCommand(context: CommandContext): Command {
  const { err } = context
  const retention = new Command('retention')
    .summary('remove data that has been kept long enough')
    .description('Removes data that has been kept long enough.')

  retention
    .command('run')
    .description(
      'Removes data past its retention period (the option "retention" of createCallboard). Workers do this every ' +
        'hour. The command works in small steps that block nobody. If it is interrupted, run it again.',
    )
    .addHelpText('after', examples('callboard retention run'))
    .action(async () => {
      // Needs the platform's own retention periods. With the default periods, the command could remove data that the
      // platform keeps for longer.
      const callboard = await context.open('your retention periods')
      const signal = context.signal()
      const removed = { events: 0, expired: 0, attempts: 0, responses: 0, subscriptions: 0, auditEntries: 0, keys: 0 }
      const summary = (): string =>
        `${removed.events} events, ${removed.attempts} attempts, ${removed.responses} responses, ` +
        `${removed.subscriptions} subscriptions, ${removed.auditEntries} audit entries and ${removed.keys} keys removed; ${removed.expired} deliveries expired`
      for (;;) {
        const { hasMore, busy, ...counts } = await callboard.retention.run({ steps: STEPS })
        for (const name of KINDS) removed[name] += counts[name]
        if (busy) throw new CommandError('A worker is doing this right now, so there is nothing left to do.')
        if (!hasMore) break
        err.progress(summary())
        if (signal.aborted) {
          err.endProgress()
          throw interrupted(`Interrupted: ${summary()}. Run it again to finish.`)
        }
      }
      err.endProgress()
      context.done(removed, `${summary()}.`)
    })

  return retention
}

const KINDS = ['events', 'expired', 'attempts', 'responses', 'subscriptions', 'auditEntries', 'keys'] as const
