import { Command } from 'commander'
import { createCommandContext, type GlobalOptions, type ProcessContext } from './command-context.ts'
import { EXIT } from './command-error.ts'
import { accountsCommand } from './commands/accounts-command.ts'
import { auditCommand } from './commands/audit-command.ts'
import { catalogCommand } from './commands/catalog-command.ts'
import { deliveriesCommand } from './commands/deliveries-command.ts'
import { doctorCommand } from './commands/doctor-command.ts'
import { eraseCommand } from './commands/erase-command.ts'
import { eventsCommand } from './commands/events-command.ts'
import { importCommand } from './commands/import-command.ts'
import { initCommand } from './commands/init-command.ts'
import { keysCommand } from './commands/keys-command.ts'
import { listenCommand } from './commands/listen-command.ts'
import { migrateCommand } from './commands/migrate-command.ts'
import { retentionCommand } from './commands/retention-command.ts'
import { statusCommand } from './commands/status-command.ts'
import { subscriptionsCommand } from './commands/subscriptions-command.ts'
import { triggerCommand } from './commands/trigger-command.ts'
import { versionsCommand } from './commands/versions-command.ts'
import { workerCommand } from './commands/worker-command.ts'
import { describeFailure } from './failure.ts'
import { failureDocument } from './messages.ts'

// The help lists the commands in this order.
const COMMANDS = [
  initCommand,
  statusCommand,
  migrateCommand,
  accountsCommand,
  keysCommand,
  subscriptionsCommand,
  importCommand,
  eventsCommand,
  triggerCommand,
  deliveriesCommand,
  catalogCommand,
  versionsCommand,
  workerCommand,
  listenCommand,
  doctorCommand,
  auditCommand,
  retentionCommand,
  eraseCommand,
]

const AFTER_HELP = `
Configuration:
  callboard.config.ts in this folder (or .mts, .js, .mjs) exports your platform's Callboard. Without one,
  DATABASE_URL=postgres://user:password@host/database is enough for commands that need no catalogue and no secret keys.

Output:
  Results go to stdout, everything else to stderr. With --json, a result is one JSON document, and a list is
  { "data": [...] }. Commands that run until they are stopped print one JSON document per line. A command that fails
  prints { "error": { "code", "message", "issues" } } to stderr.

Exit codes:
  0 done    1 failed    2 wrong usage    130 interrupted

With CALLBOARD_DEBUG=1, a command that fails also prints the error's stack.`

/** Runs one command line and returns the exit code. Prints errors, and never throws. */
export async function runProgram(args: readonly string[], version: string, process: ProcessContext): Promise<number> {
  const program = new Command('callboard')
  // `--json` is looked for before parsing, so that an error is printed as JSON even if the command line cannot be
  // parsed.
  const forPrograms = args.includes('--json')
  const context = createCommandContext(process, () => program.opts<GlobalOptions>())
  program
    .description('Operates the events and webhooks of your platform: database, keys, subscriptions and deliveries.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .option('--json', 'print JSON, for programs')
    .option('-c, --config <file>', 'the config module (default: callboard.config.ts in this folder)')
    .option('--no-config', 'use no config module')
    .option('--schema <name>', "schema of Callboard's tables (default: callboard, env: CALLBOARD_SCHEMA)")
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError(forPrograms ? false : '(add --help to see its options)')
    .configureOutput({ outputError: (text, write) => write(forPrograms ? usageDocument(text) : text) })
    .exitOverride()
    .addHelpText('after', AFTER_HELP)
  for (const make of COMMANDS) inherit(make(context), program)

  try {
    await program.parseAsync(args, { from: 'user' })
    return EXIT.done
  } catch (error) {
    if (isCommanderError(error)) return error.exitCode === 0 ? EXIT.done : EXIT.usage
    const failure = describeFailure(error)
    context.err.fail(failure)
    if (process.env['CALLBOARD_DEBUG'] !== undefined && error instanceof Error) context.err.note(String(error.stack))
    return failure.exitCode
  } finally {
    await context.close().catch(() => undefined)
  }
}

/**
 * Adds a command to its parent, and copies the parent's settings to the command and its subcommands. Commander itself
 * copies settings only to commands that the parent creates.
 */
function inherit(command: Command, parent: Command): void {
  parent.addCommand(command)
  const settle = (each: Command, from: Command): void => {
    each.copyInheritedSettings(from)
    for (const child of each.commands) settle(child, each)
  }
  settle(command, parent)
}

function usageDocument(text: string): string {
  return failureDocument({ code: 'USAGE', message: text.trim().replace(/^error: /, ''), issues: [] })
}

/** Whether commander threw the error. If so, it has already printed the help, the version or the error message. */
function isCommanderError(error: unknown): error is Error & { readonly exitCode: number } {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('commander.')
}
