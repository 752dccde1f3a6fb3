import type { Finding } from '@callboard/core/store'
import { Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { CommandError } from '../command-error.ts'
import { examine } from '../doctor/examine.ts'
import { examples } from '../examples.ts'
import type { Output } from '../output.ts'
import { formatCell } from '../table.ts'
import { VERDICT_COLOURS } from '../trouble-colour.ts'

/** `callboard doctor`: finds problems and says what to do about them. */
export function doctorCommand(context: CommandContext): Command {
  const { out } = context
  return new Command('doctor')
    .summary('find problems, and say what to do about them')
    .description(
      'Checks the runtime, the database, workers and subscriptions, and says what is wrong and what to do. ' +
        'It changes nothing and sends nothing to the internet. Exits with 1 when there is a problem.',
    )
    .addHelpText('after', examples('callboard doctor', 'callboard doctor --json | jq .findings'))
    .action(async () => {
      const { callboard, configured, worker } = await context.platform()
      const findings: Finding[] = []
      for await (const finding of examine({ callboard, configured, authorities: worker?.extraCaCertificates ?? [] })) {
        findings.push(finding)
        if (!out.json) for (const line of linesOf(finding, out)) out.line(line)
      }
      const problems = findings.filter(({ verdict }) => verdict === 'problem').map(({ check }) => check)
      if (out.json)
        out.document({
          ok: problems.length === 0,
          findings: findings.map(({ advice, ...finding }) => ({ ...finding, advice })),
        })
      if (problems.length > 0)
        throw new CommandError(
          `${problems.length === 1 ? 'This check' : 'These checks'} found a problem: ${problems.join(', ')}.`,
        )
    })
}

function linesOf({ check, verdict, message, advice }: Finding, { paint }: Output): string[] {
  const mark = paint(VERDICT_COLOURS[verdict], verdict.padEnd(7))
  const line = `${mark}  ${check.padEnd(13)}  ${formatCell(message)}`
  return advice === undefined ? [line] : [line, `${' '.repeat(24)}${formatCell(advice)}`]
}
