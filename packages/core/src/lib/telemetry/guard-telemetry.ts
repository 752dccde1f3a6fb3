import { guarded } from '../hooks/guarded.ts'
import type { GuardedHooks } from '../hooks/hooks.ts'
import { isTraceparent, type SeenRequest, type Telemetry } from './telemetry.ts'

/** Starts the work on the first call, and returns the promise of that work on every call. */
type Once<T> = (given?: string) => Promise<T>

/**
 * Wraps the platform's telemetry so that it cannot affect the work: the work runs exactly once, immediately, and its
 * caller gets the work's own result or error. `onError` gets the telemetry's errors. Without this guard, an error in
 * `recorded` would stop the worker, and deliveries that were already sent would be sent again.
 *
 * Only the fields that the types declare are passed on, because a request also holds a token and a body, and an attempt
 * also holds a response.
 */
export function guardTelemetry(telemetry: Telemetry, onError: GuardedHooks['onError']): Telemetry {
  const around = <T>(
    watch: (once: Once<T>) => Promise<unknown>,
    work: (trace: string | undefined) => Promise<T>,
  ): Promise<T> => {
    let done: Promise<T> | undefined
    const once: Once<T> = (given) => {
      done ??= work(given !== undefined && isTraceparent(given) ? given : undefined)
      return done
    }
    guarded(
      () => watch(once),
      (error) => {
        // Usually `error` is the work's own error, which the caller gets, so it need not be reported.
        once().then(
          () => onError(error),
          (own: unknown) => {
            if (own !== error) onError(error)
          },
        )
      },
    )
    return once()
  }
  return {
    request: (request, answer) => around((once) => telemetry.request(seenOf(request), () => once()), answer),
    publish: (events, publish) => around((once) => telemetry.publish(events, once), publish),
    attempt: (attempt, send) => around((once) => telemetry.attempt(attempt, once), send),
    recorded: (attempts) =>
      guarded(
        () =>
          telemetry.recorded(
            attempts.map(({ id, eventId, number, outcome, status, reason, durationMs }) => {
              return { id, eventId, number, outcome, status, reason, durationMs }
            }),
          ),
        onError,
      ),
    observe: (look) => guarded(() => telemetry.observe(look), onError),
  }
}

function seenOf(call: SeenRequest): SeenRequest {
  const { method, url } = call.request
  return {
    requestId: call.requestId,
    request: { method, url: url.replace(/[?#].*$/s, '') },
    // `route` and `caller` are getters, because they are set only after the request has arrived.
    get route() {
      return call.route
    },
    get caller() {
      return call.caller
    },
  }
}
