import type { Messages } from '../messages.ts'
import type { Output } from '../output.ts'
import { formatCell } from '../table.ts'
import type { ForwardOutcome } from './forward.ts'

/** An event, and what `listen` did with it. */
export interface EventReport {
  readonly event: unknown
  /** Whether the event came in a delivery, with a valid signature. The API does not sign events that are polled. */
  readonly verified: boolean
  /** The server that the event was forwarded to, and the outcome; undefined if it was not forwarded. */
  readonly forwarded?: { readonly to: URL; readonly outcome: ForwardOutcome } | undefined
}

export interface Reporter {
  /** Reports that an event has arrived. */
  came(report: Pick<EventReport, 'event' | 'verified'>): void
  /** Reports that the event was handled and, with `--forward`, forwarded. */
  done(report: EventReport): void
  /** Reports a request that is not a valid delivery, with a code for the reason. */
  refused(reason: string): void
}

/** Reports each event in at most two lines for people, or in one line of JSON for programs. */
export function createReporter(out: Output, err: Messages): Reporter {
  const clock = (): string => new Date().toTimeString().slice(0, 8)
  return {
    came({ event, verified }) {
      if (out.json) return
      const { id, type, subject } = read(event)
      out.line(formatCell(`${clock()}  --> ${type} [${id}] ${subject}, ${verified ? 'verified' : 'not signed'}`))
    },
    done({ event, verified, forwarded }) {
      const { answer, failure, durationMs } = forwarded?.outcome ?? {}
      if (out.json)
        out.ndjson({
          event,
          verified,
          forwarded: forwarded && { to: forwarded.to.href, status: answer?.status, failure, durationMs },
        })
      if (out.json || forwarded === undefined) return
      const what = failure === undefined ? String(answer?.status) : `failed: ${failure}`
      const { id } = read(event)
      out.line(formatCell(`${clock()}  <-- [${what}] POST ${forwarded.to.href} [${id}] ${durationMs} ms`))
    },
    refused(reason) {
      err.note(`${clock()}  refused a request that is not a delivery of this subscription: ${reason}`)
    },
  }
}

/** Reads the members to print from a value that might not be an event. */
function read(event: unknown): { readonly id: string; readonly type: string; readonly subject: string } {
  const { id, type, subject } = members(event)
  const of = members(subject)
  return { id: text(id), type: text(type), subject: `${text(of['type'])} ${text(of['id'])} #${text(of['sequence'])}` }
}

function members(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

function text(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '?'
}
