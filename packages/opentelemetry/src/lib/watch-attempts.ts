import type { SeenAttempt, SeenOutcome, SeenRecord, Telemetry } from '@callboard/core/engine'
import {
  type Attributes,
  type Meter,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { errorType } from './error-type.ts'
import { quietly } from './quietly.ts'
import { fromTraceparent, toTraceparent } from './traceparent.ts'
import { watch } from './watch.ts'

/** Histogram boundaries in seconds. The last boundary is the longest `deadlineMs` that a worker accepts. */
const BOUNDARIES = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 20, 30]

/**
 * Creates a client span for each attempt. The parent of that span is the `publish` span of the event, even if the event
 * was published hours earlier.
 */
export function watchAttempts(
  tracer: Tracer,
  meter: Meter,
  { traceTargets }: { readonly traceTargets: boolean },
): Pick<Telemetry, 'attempt' | 'recorded'> {
  const active = meter.createUpDownCounter('callboard.delivery.active_attempts', {
    unit: '{attempt}',
    description: 'Attempts in flight.',
  })
  const attempts = meter.createCounter('callboard.delivery.attempts', {
    unit: '{attempt}',
    description: 'Recorded attempts, by outcome.',
  })
  const deprecated = meter.createCounter('callboard.delivery.deprecated_attempts', {
    unit: '{attempt}',
    description: 'Attempts in deprecated format versions.',
  })
  const duration = meter.createHistogram('callboard.delivery.attempt.duration', {
    unit: 's',
    description: 'Duration of attempts, including any DNS lookup, until the end of the response.',
    advice: { explicitBucketBoundaries: BOUNDARIES },
  })
  const requests = meter.createHistogram('http.client.request.duration', {
    unit: 's',
    description: 'Duration of HTTP client requests.',
    advice: { explicitBucketBoundaries: BOUNDARIES },
  })
  return {
    async attempt(attempt, send) {
      quietly(() => {
        active.add(1)
        if (attempt.deprecated) deprecated.add(1, { 'callboard.event.version': attempt.version })
      })
      try {
        return await watch({
          start: () => {
            const options = { kind: SpanKind.CLIENT, attributes: attributesOf(attempt) }
            return tracer.startSpan(`deliver ${attempt.type}`, options, parentOf(attempt))
          },
          work: (span) => send(traceTargets && span !== undefined ? toTraceparent(span.spanContext()) : undefined),
          end(span, end) {
            const problem = end.failed ? errorType(end.error) : problemOf(end.value)
            const { status, reason } = end.failed ? {} : end.value
            const answer: Attributes = {
              ...(status !== undefined && { 'http.response.status_code': status }),
              ...(problem !== undefined && { 'error.type': problem }),
            }
            // Without a status and a reason, the attempt ended before its request.
            if (status !== undefined || reason !== undefined)
              requests.record(end.seconds, { 'http.request.method': 'POST', ...answer })
            span?.setAttributes(answer)
            if (problem !== undefined) span?.setStatus({ code: SpanStatusCode.ERROR })
          },
        })
      } finally {
        quietly(() => active.add(-1))
      }
    },
    recorded(all) {
      quietly(() => {
        for (const attempt of all) {
          const outcome = { 'callboard.attempt.outcome': attempt.outcome }
          duration.record(attempt.durationMs / 1000, outcome)
          attempts.add(1, { ...outcome, ...answerOf(attempt) })
        }
      })
    },
  }
}

/**
 * Returns the context in which to start an attempt's span. The parent is the event's `publish` span, if that is known.
 * A span that happens to be active in the worker is never the parent.
 */
function parentOf({ trace: traceparent }: SeenAttempt) {
  const parent = traceparent === undefined ? undefined : fromTraceparent(traceparent)
  return parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent)
}

function attributesOf(attempt: SeenAttempt): Attributes {
  const { accountId, mode, subscriptionId, eventId, type, version, number, target } = attempt
  return {
    'messaging.system': 'callboard',
    'messaging.operation.name': 'deliver',
    'messaging.destination.name': type,
    'messaging.message.id': eventId,
    'http.request.method': 'POST',
    ...(target && { 'server.address': target.host, 'server.port': target.port }),
    'callboard.account.id': accountId,
    'callboard.mode': mode,
    'callboard.subscription.id': subscriptionId,
    'callboard.event.version': version,
    'callboard.attempt.number': number,
  }
}

/** Returns `error.type`: a status other than 2xx, or the reason why there is no status. Undefined after a 2xx. */
function problemOf({ kind, status, reason }: SeenOutcome): string | undefined {
  if (status === undefined) return reason ?? kind
  return status >= 200 && status < 300 ? undefined : String(status)
}

function answerOf({ status, reason }: SeenRecord): Attributes {
  if (status !== undefined) return { 'http.response.status_code': status }
  return reason === undefined ? {} : { 'error.type': reason }
}
