import type { GuardedHooks } from '../hooks.ts'
import { isTraceparent, type SeenRequest, type Telemetry } from './telemetry.ts'

/** Does the work on the first call and returns the same promise on every later one. */
type Once<T> = (given?: string) => Promise<T>

/**
 * Wraps the platform's telemetry so that it cannot affect the work: the work runs exactly once, immediately, and its
 * caller gets the work's own result or error. Errors of telemetry go to `onError`. Unguarded, a throwing `recorded`
 * made a worker stop and send again what `attempt` had sent.
 *
 * Only the fields of the types are passed on, because a request also holds a token and a body, and an attempt a
 * response.
 */
export function guardTelemetry(telemetry: Telemetry, onError: GuardedHooks['onError']): Telemetry {
  const guarded = (call: () => unknown, onThrown: (error: unknown) => void = onError): void => {
    try {
      Promise.resolve(call()).catch(onThrown)
    } catch (error) {
      onThrown(error)
    }
  }
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
        // Usually it is the work's own error, which the caller gets anyway.
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
      guarded(() =>
        telemetry.recorded(
          attempts.map(({ id, eventId, number, outcome, status, reason, durationMs }) => {
            return { id, eventId, number, outcome, status, reason, durationMs }
          }),
        ),
      ),
    observe: (look) => guarded(() => telemetry.observe(look)),
  }
}

function seenOf(call: SeenRequest): SeenRequest {
  const { method, url } = call.request
  return {
    requestId: call.requestId,
    request: { method, url: url.replace(/[?#].*$/s, '') },
    // Read late, because both are set after the request arrived.
    get route() {
      return call.route
    },
    get caller() {
      return call.caller
    },
  }
}
