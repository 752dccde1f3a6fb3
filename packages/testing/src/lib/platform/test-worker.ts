import { type AnyCallboard, engineOf, withHooks } from '@callboard/core/engine'
import { runUntilIdle } from '@callboard/delivery'
import { createRecordingTransport, type RecordingTransportOptions } from './recording-transport.ts'
import { wrong } from './test-targets.ts'

export interface TestWorkerOptions extends Omit<RecordingTransportOptions, 'onError'> {
  readonly retrySchedule: readonly number[] | undefined
}

const RUN_MS = 60_000

/**
 * Creates a function that makes every attempt that is due, and returns in how many milliseconds the next one is due. It
 * throws the first error of the worker, of the transport or of a receiver.
 */
export function createTestWorker(
  callboard: AnyCallboard,
  { retrySchedule, answer, onSent }: TestWorkerOptions,
): () => Promise<number | undefined> {
  const { hooks } = engineOf(callboard)
  return async () => {
    const ending = new AbortController()
    const errors: unknown[] = []
    const onError = (error: unknown): void => {
      errors.push(error)
      ending.abort()
    }
    const observed = withHooks(callboard, {
      ...hooks,
      onError(error, context) {
        if (hooks.hasOnError) hooks.onError(error, context)
        onError(error)
      },
    })
    const { end, nextInMs, postponed } = await runUntilIdle(observed, {
      deadlineMs: RUN_MS,
      pollMs: 1,
      retentionMs: 0,
      random: () => 0.5,
      retrySchedule,
      signal: ending.signal,
      transport: createRecordingTransport(callboard, { answer, onSent, onError }),
    })
    if (errors.length > 0) throw errors[0]
    const [obstacle] = postponed
    if (obstacle !== undefined) throw wrong(`Deliveries could not be sent: ${obstacle.cause} ${obstacle.name}`)
    if (end !== 'idle') throw wrong(`Deliveries were still due after ${RUN_MS / 1000} s. Check retrySchedule.`)
    return nextInMs
  }
}
