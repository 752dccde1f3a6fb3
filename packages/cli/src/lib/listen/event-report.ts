import type { CallboardEvent } from '@callboard/client'
import type { Output } from '../output.ts'
import { formatCell } from '../table.ts'
import type { ForwardOutcome } from './forward.ts'

export interface Reporter {
  /** Reports that an event has arrived. */
  came(event: CallboardEvent): void
  /** Reports that the event was handled: forwarded, unless `forwarded` is undefined. */
  done(event: CallboardEvent, forwarded: { readonly to: URL; readonly outcome: ForwardOutcome } | undefined): void
}

/** Reports each event in at most two lines for people, or in one line of JSON for programs. */
export function createReporter(out: Output): Reporter {
  const clock = (): string => new Date().toTimeString().slice(0, 8)
  return {
    came({ id, type, subject }) {
      if (!out.json)
        out.line(formatCell(`${clock()}  --> ${type} [${id}] ${subject.type} ${subject.id} #${subject.sequence}`))
    },
    done(event, forwarded) {
      const { status, failure, durationMs } = forwarded?.outcome ?? {}
      if (out.json)
        out.ndjson({ event, forwarded: forwarded && { to: forwarded.to.href, status, failure, durationMs } })
      else if (forwarded !== undefined)
        out.line(
          formatCell(
            `${clock()}  <-- [${failure === undefined ? status : `failed: ${failure}`}] ` +
              `POST ${forwarded.to.href} [${event.id}] ${durationMs} ms`,
          ),
        )
    },
  }
}
