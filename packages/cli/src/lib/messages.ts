import type { Failure } from './failure.ts'
import type { TextStream } from './output.ts'

/** What is said beside the result, on stderr, so that stdout can be piped. */
export interface Messages {
  readonly terminal: boolean
  /** For people: what was done, what comes next. Nothing with `--json`. */
  note(text: string): void
  /** In place of the last one, on a terminal; nothing elsewhere. An empty one ends it. */
  progress(text: string): void
  fail(failure: Failure): void
}

export function createMessages(stream: TextStream, isJson: () => boolean): Messages {
  const terminal = stream.isTTY === true
  const write = (text: string): void => {
    stream.write(text)
  }
  return {
    terminal,
    note(text) {
      if (!isJson()) write(`${text}\n`)
    },
    progress(text) {
      // Back to the start of the line, and what was there is erased (ECMA-48: EL).
      if (terminal && !isJson()) write(`\r\u001b[K${text}`)
    },
    fail({ code, message, issues }) {
      if (isJson()) return write(failureDocument({ code, message, issues }))
      write(`error: ${message}\n`)
      // One issue is the message already.
      if (issues.length > 1) for (const issue of issues) write(`  ${issue.path}: ${issue.message}\n`)
    },
  }
}

/** A failure as programs are told of it. */
export function failureDocument({ code, message, issues }: Omit<Failure, 'exitCode'>): string {
  return `${JSON.stringify({ error: { code, message, issues } })}\n`
}
