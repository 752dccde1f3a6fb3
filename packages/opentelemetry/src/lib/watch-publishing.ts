import type { SeenEvent, Telemetry } from '@callboard/core/engine'
import { type Attributes, type Meter, SpanKind, SpanStatusCode, type Tracer } from '@opentelemetry/api'
import { errorType } from './error-type.ts'
import { toTraceparent } from './traceparent.ts'
import { watch } from './watch.ts'

const OPERATION = { 'messaging.system': 'callboard', 'messaging.operation.name': 'publish' }
const BOUNDARIES = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/**
 * Creates producer spans and messaging metrics that follow OpenTelemetry's semantic conventions. The messaging
 * destination is the event type.
 */
export function watchPublishing(tracer: Tracer, meter: Meter): Telemetry['publish'] {
  const sent = meter.createCounter('messaging.client.sent.messages', {
    unit: '{message}',
    description: 'Published events, even if their transaction is rolled back later. Repeated events are counted once.',
  })
  const duration = meter.createHistogram('messaging.client.operation.duration', {
    unit: 's',
    description: 'Duration of calls to publish.',
    advice: { explicitBucketBoundaries: BOUNDARIES },
  })
  return (events, publish) => {
    if (events.length === 0) return publish(undefined)
    const type = sameOf(events.map((event) => event.type))
    const call = type === undefined ? OPERATION : { ...OPERATION, 'messaging.destination.name': type }
    const attributes: Attributes = { ...call, 'messaging.operation.type': 'send' }
    if (events.length !== 1) attributes['messaging.batch.message_count'] = events.length
    return watch({
      start: () =>
        tracer.startSpan(type === undefined ? 'publish' : `publish ${type}`, { kind: SpanKind.PRODUCER, attributes }),
      work: (span) => publish(span && toTraceparent(span.spanContext())),
      end(span, { seconds, ...end }) {
        const failure = end.failed ? { 'error.type': errorType(end.error) } : undefined
        duration.record(seconds, { ...call, ...failure })
        const counted = end.failed ? events : end.value.filter(({ repeated }) => !repeated)
        for (const event of counted) {
          const destination = event.type === undefined ? {} : { 'messaging.destination.name': event.type }
          sent.add(1, { ...OPERATION, ...destination, ...failure })
        }
        if (failure !== undefined) span?.setStatus({ code: SpanStatusCode.ERROR })
        span?.setAttributes(failure ?? ownersOf(events))
        const [only, ...others] = end.failed ? [] : end.value
        if (only !== undefined && others.length === 0)
          span?.setAttributes({ 'messaging.message.id': only.id, 'callboard.event.repeated': only.repeated })
      },
    })
  }
}

/**
 * Returns the account and the mode as attributes, each only if all events share it. Call it only with stored events:
 * until an event is stored, its account id might not belong to any account.
 */
function ownersOf(events: readonly SeenEvent[]): Attributes {
  const [accountId, mode] = [sameOf(events.map((event) => event.accountId)), sameOf(events.map((event) => event.mode))]
  return {
    ...(accountId !== undefined && { 'callboard.account.id': accountId }),
    ...(mode !== undefined && { 'callboard.mode': mode }),
  }
}

/** Returns the value that all elements share; undefined when the elements differ. */
function sameOf<T>(all: readonly T[]): T | undefined {
  const [first, ...others] = all
  return others.every((other) => other === first) ? first : undefined
}
