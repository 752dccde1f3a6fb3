import type { SeenRequest, Telemetry } from '@callboard/core/engine'
import { type Attributes, type Meter, SpanKind, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api'
import { errorType } from './error-type.ts'
import { watch } from './watch.ts'

const METHODS = new Set(['CONNECT', 'DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT', 'TRACE'])
/** The boundaries that OpenTelemetry's semantic conventions recommend. */
const BOUNDARIES = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]

/**
 * Creates HTTP server spans and metrics. They contain the route but not the URL, because callers can put anything into
 * a URL. Callers' trace headers are ignored; otherwise callers could decide what is sampled.
 */
export function watchRequests(tracer: Tracer, meter: Meter): Telemetry['request'] {
  const duration = meter.createHistogram('http.server.request.duration', {
    unit: 's',
    description: 'Duration of API requests.',
    advice: { explicitBucketBoundaries: BOUNDARIES },
  })
  return (request, answer) => {
    const { method } = request.request
    const known = METHODS.has(method)
    const always = {
      'http.request.method': known ? method : '_OTHER',
      'url.scheme': request.request.url.startsWith('https:') ? 'https' : 'http',
    }
    const name = known ? method : 'HTTP'
    return watch({
      start: () => {
        // If a span is active, an instrumented server has already started a SERVER span, so this span is internal.
        const kind = trace.getActiveSpan() === undefined ? SpanKind.SERVER : SpanKind.INTERNAL
        return tracer.startSpan(name, { kind, attributes: { ...always, 'callboard.request.id': request.requestId } })
      },
      work: answer,
      end(span, { seconds, ...end }) {
        const { route } = request
        const attributes: Attributes = { ...always }
        if (route !== undefined) attributes['http.route'] = route
        if (end.failed) attributes['error.type'] = errorType(end.error)
        else {
          attributes['http.response.status_code'] = end.value.status
          if (end.value.status >= 500) attributes['error.type'] = String(end.value.status)
        }
        duration.record(seconds, attributes)
        if (span === undefined) return
        if (route !== undefined) span.updateName(`${name} ${route}`)
        span.setAttributes({ ...attributes, ...callerOf(request) })
        if ('error.type' in attributes) span.setStatus({ code: SpanStatusCode.ERROR })
      },
    })
  }
}

function callerOf({ caller }: SeenRequest): Attributes {
  if (caller === undefined) return {}
  return { 'callboard.account.id': caller.account.id, 'callboard.key.id': caller.keyId, 'callboard.mode': caller.mode }
}
