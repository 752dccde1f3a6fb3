import { open as openFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { addAbortSignal, type Readable } from 'node:stream'
import { Command } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { CommandError, interrupted, wrongUsage } from '../command-error.ts'
import { examples } from '../examples.ts'
import { createImportLines, type LineResult } from '../import/import-lines.ts'
import { type Parsed, parseLine } from '../import/parse-line.ts'
import { readLines } from '../import/read-lines.ts'
import { createRepeatedReasons } from '../import/repeated-reasons.ts'
import { inTerminalTerms } from '../in-terminal-terms.ts'
import type { JsonOutput } from '../json-output.ts'
import { formatCell } from '../table.ts'

/** The most lines of one call of `subscriptions.import`. */
const BATCH = 500
/** The most lines that a JSON document lists as refused, so that memory stays bounded. */
const LISTED = 1_000

/** What a dry run says when it has left lines unchecked. */
const UNCHECKED =
  ' Not checked: keys, and what depends on earlier lines: whether subscriptions are duplicates, too many, or have an id ' +
  'that is taken.'

interface ImportOptions {
  readonly from: string
  readonly dryRun?: boolean
}

/** `callboard import`: moves accounts, keys and subscriptions in from another system. */
export function importCommand(context: CommandContext): Command {
  return new Command('import')
    .summary('import accounts, keys and subscriptions from a file')
    .description(
      'Imports accounts, keys and subscriptions that customers have in another system. The file has one JSON object a ' +
        'line, whose "kind" is account, key or subscription. Refused lines are listed, and never stop the others. ' +
        'Run it again to continue: what was imported before does not change. Exits with 1 if a line was refused.',
    )
    .requiredOption('--from <file>', 'the file, or - for stdin')
    .option('--dry-run', 'only say what would happen')
    .addHelpText(
      'after',
      examples('callboard import --from endpoints.jsonl --dry-run', 'callboard import --from endpoints.jsonl'),
    )
    .action((options: ImportOptions) => runImport(context, options))
}

async function runImport(context: CommandContext, { from, dryRun = false }: ImportOptions): Promise<void> {
  const { out, err } = context
  const { stream, progress } = await open(context, from)
  const callboard = await context.open('your catalogue and your secret keys, which seal signing secrets')
  const importLines = createImportLines(callboard, dryRun)
  const signal = context.signal()
  const counts: Omit<JsonOutput['import'], 'lines'> = {
    ...{ dryRun, imported: 0, existing: 0, duplicate: 0, unchecked: 0, refused: 0 },
  }
  const lines: JsonOutput['import']['lines'][number][] = []
  const reasons = createRepeatedReasons()
  let reached = 0
  const record = (results: readonly LineResult[]): void => {
    for (const result of results) {
      counts[result.outcome] += 1
      reached = Math.max(reached, result.line)
      const { outcome } = result
      if (outcome !== 'refused' && outcome !== 'duplicate') continue
      const why = `${outcome}: ${said(result)}`
      const isFirst = reasons.add(why, result.line)
      if (!out.json) {
        // A pipe gets every line, for the program or the file at its end.
        if (isFirst || !out.terminal) out.line(`line ${result.line}: ${why}`)
      } else if (lines.length < LISTED) lines.push({ ...result, outcome, kind: result.kind ?? null })
    }
  }
  const summary = (): string =>
    Object.entries(counts)
      .flatMap(([name, count]) =>
        typeof count === 'number' && count > 0 ? [`${count.toLocaleString('en')} ${name}`] : [],
      )
      .join(', ') || 'nothing found'

  const endLines = (): void => {
    err.endProgress()
    for (const text of reasons.summary()) err.note(text)
  }

  let batch: Parsed[] = []
  let unread: LineResult[] = []
  const importBatch = async (): Promise<void> => {
    record([...unread, ...(await importLines(batch))].sort((one, other) => one.line - other.line))
    batch = []
    unread = []
    err.progress(summary(), progress())
    signal.throwIfAborted()
  }
  try {
    // The stream ends with the signal, because a terminal or a pipe may never bring another line.
    for await (const line of readLines(addAbortSignal(signal, stream))) {
      const parsed = parseLine(line)
      if ('value' in parsed) batch.push(parsed)
      else unread.push({ line: line.number, kind: undefined, outcome: 'refused', issues: parsed })
      if (batch.length + unread.length === BATCH) await importBatch()
    }
    await importBatch()
  } catch (error) {
    endLines()
    const stopped = `after line ${reached}: ${summary()}. Run the command again to continue.`
    if (signal.aborted) throw interrupted(`Interrupted ${stopped}`)
    err.note(`Stopped ${stopped}`)
    throw error
  }
  endLines()
  context.done(
    { ...counts, lines },
    `${dryRun ? 'A dry run, which stored nothing: ' : ''}${summary()}.${counts.unchecked > 0 ? UNCHECKED : ''}`,
  )
  if (counts.refused > 0)
    throw new CommandError(counts.refused === 1 ? 'One line was refused.' : `${counts.refused} lines were refused.`)
}

function said({ outcome, issues }: LineResult): string {
  return outcome === 'duplicate'
    ? 'Another subscription has the same integration, target, event types and externalRef. Both receive every event.'
    : formatCell(issues.map(({ message }) => inTerminalTerms(message)).join(' '))
}

interface Opened {
  readonly stream: Readable
  /** How much has been read, between 0 and 1; undefined if nobody knows the size. */
  readonly progress: () => number | undefined
}

async function open({ stdin, folder }: CommandContext, from: string): Promise<Opened> {
  if (from === '-') return { stream: stdin, progress: () => undefined }
  const file = resolve(folder, from)
  try {
    const handle = await openFile(file)
    const status = await handle.stat()
    if (status.isDirectory()) throw new Error(`${file} is a folder`)
    const { size } = status
    const stream = handle.createReadStream()
    return { stream, progress: () => (size > 0 ? stream.bytesRead / size : undefined) }
  } catch (error) {
    throw wrongUsage(`--from cannot be read: ${error instanceof Error ? error.message : file}`)
  }
}
