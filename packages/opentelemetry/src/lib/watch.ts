import { context, type Span, trace } from '@opentelemetry/api'
import { quietly } from './quietly.ts'

/** The result of watched work, and its duration. */
export type End<T> = { readonly seconds: number } & (
  | { readonly value: T; readonly failed: false }
  | { readonly error: unknown; readonly failed: true }
)

export interface Watched<T> {
  readonly start: () => Span
  /** Runs while the span is active; `span` is undefined if the span could not be started. */
  readonly work: (span: Span | undefined) => Promise<T>
  /** Records the result and the duration on the span and in the metrics. */
  readonly end: (span: Span | undefined, end: End<T>) => void
}

/** Runs work within a span. Returns or throws what the work returns or throws, even if recording the span fails. */
export async function watch<T>({ start, work, end }: Watched<T>): Promise<T> {
  const startedAt = performance.now()
  const span = quietly(start)
  const finish = (how: { value: T; failed: false } | { error: unknown; failed: true }): void => {
    const seconds = (performance.now() - startedAt) / 1000
    quietly(() => end(span, { ...how, seconds }))
    quietly(() => span?.end())
  }
  let value: T
  try {
    value = await (span === undefined
      ? work(span)
      : context.with(trace.setSpan(context.active(), span), () => work(span)))
  } catch (error) {
    finish({ error, failed: true })
    throw error
  }
  finish({ value, failed: false })
  return value
}
