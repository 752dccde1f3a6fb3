import type { Failure } from './failure.ts'
import type { TextStream } from './output.ts'

/** Prints everything except results, to stderr, so that stdout can be piped. */
export interface Messages {
  readonly terminal: boolean
  /** Tells people what was done and what comes next. Silent with `--json`. */
  note(text: string): void
  /** Replaces the last progress line on a terminal; silent elsewhere. An empty string clears the line. */
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
      // Returns to the start of the line and erases it (ECMA-48: EL).
      if (terminal && !isJson()) write(`\r\u001b[K${text}`)
    },
    fail({ code, message, issues }) {
      if (isJson()) return write(failureDocument({ code, message, issues }))
      write(`error: ${message}\n`)
      // If there is only one issue, the message already describes it.
      if (issues.length > 1) for (const issue of issues) write(`  ${issue.path}: ${issue.message}\n`)
    },
  }
}

/** The JSON document that reports a failure to programs. */
export function failureDocument({ code, message, issues }: Omit<Failure, 'exitCode'>): string {
  return `${JSON.stringify({ error: { code, message, issues } })}\n`
}
