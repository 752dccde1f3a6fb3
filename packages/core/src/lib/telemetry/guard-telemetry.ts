import type { GuardedHooks } from '../hooks.ts'
import { isTraceparent, type SeenRequest, type Telemetry } from './telemetry.ts'

/** Does the work when it is called, the first time; afterwards gives what came of that. */
type Once<T> = (given?: string) => Promise<T>

/**
 * Telemetry as Callboard calls it, which may be of the platform's own making: whatever it throws, forgets, waits for or gives
 * instead, the work is done once and at once, and its caller gets what came of it. A worker stood still when `recorded` threw, and
 * sent again what `attempt` had sent. What telemetry throws goes to `onError`. It is told what its types say and no more: a request has
 * a token and a body to read, an attempt what a target answered.
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
        // Most often it is the work's own, which its caller is told of.
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
    // Known later.
    get route() {
      return call.route
    },
    get caller() {
      return call.caller
    },
  }
}
