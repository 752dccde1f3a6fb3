import { isSpanContextValid, type SpanContext } from '@opentelemetry/api'

/**
 * Formats a W3C `traceparent`. Does not use the platform's propagators, which can be configured for another format.
 */
export function toTraceparent(span: SpanContext): string | undefined {
  if (!isSpanContextValid(span)) return undefined
  return `00-${span.traceId}-${span.spanId}-0${span.traceFlags & 1}`
}

export function fromTraceparent(traceparent: string): SpanContext | undefined {
  const [, traceId = '', spanId = '', flags = ''] = traceparent.split('-')
  const span = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true }
  return isSpanContextValid(span) ? span : undefined
}
