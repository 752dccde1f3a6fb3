import progress, { type SingleBar } from 'cli-progress' // It redraws one line, even if the terminal is resized.
import type { Failure } from './failure.ts'
import type { TextStream } from './output.ts'

/** Prints to stderr everything that is not a result, so that stdout can be piped. */
export interface Messages {
  readonly terminal: boolean
  /** Tells people what was done and what comes next. Silent with `--json`. */
  note(text: string): void
  /**
   * Shows progress in one line of a terminal; silent elsewhere. `done` is how much of the work is done,
   * between 0 and 1. Without it, the line has no bar.
   */
  progress(text: string, done?: number): void
  /** Removes the line that shows progress, if there is one. */
  endProgress(): void
  fail(failure: Failure): void
}

export function createMessages(stream: TextStream, isJson: () => boolean): Messages {
  const terminal = stream.isTTY === true
  const write = (text: string): void => {
    stream.write(text)
  }
  let bar: SingleBar | undefined
  return {
    terminal,
    note(text) {
      if (!isJson()) write(`${text}\n`)
    },
    progress(text, done) {
      if (!terminal || isJson()) return
      if (bar === undefined) {
        const format = done === undefined ? '{text}' : '{bar} {percentage} %   {text}'
        const options = { format, stream, barsize: 24, clearOnComplete: true, gracefulExit: false }
        bar = new progress.SingleBar(options, progress.Presets.shades_classic)
        bar.start(100, 0, { text })
      }
      bar.update(Math.floor(Math.min(1, Math.max(0, done ?? 0)) * 100), { text })
    },
    endProgress() {
      bar?.stop()
      bar = undefined
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
