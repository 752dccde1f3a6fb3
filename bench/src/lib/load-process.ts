// A process that publishes at a pace, or one that delivers without a network, as it is asked.
import { startWorker } from '@callboard/delivery'
import { accountOf } from './arrange.ts'
import { type BenchCallboard, noteEvent, openBenchCallboard } from './bench-callboard.ts'
import { answer } from './helper.ts'
import { createPace } from './pace.ts'

export type LoadAsk =
  | { readonly work: string }
  | { readonly publish: string; readonly aSecond: number; readonly targets: number }
  | { readonly how: 'goes it' }

/** So far. */
export interface LoadCount {
  readonly published: number
  readonly delivered: number
}

/** Events of a transaction. */
const AT_ONCE = 20
/** Transactions at a time. */
const PUBLISHERS = 4

let published = 0
let delivered = 0

async function publish({ callboard }: BenchCallboard, aSecond: number, targets: number): Promise<never> {
  const next = createPace(aSecond / AT_ONCE)
  const publisher = async (): Promise<never> => {
    for (;;) {
      await next()
      const first = published
      published += AT_ONCE
      await callboard.publishMany(
        Array.from({ length: AT_ONCE }, (_, n) => noteEvent(accountOf((first + n) % targets), first + n)),
      )
    }
  }
  return Promise.race(Array.from({ length: PUBLISHERS }, publisher))
}

answer<LoadAsk, LoadCount>(async (ask) => {
  if ('work' in ask)
    await startWorker(openBenchCallboard(ask.work).callboard, {
      transport: {
        async send() {
          delivered++
          return { kind: 'response', status: 200, body: 'ok', truncated: false, durationMs: 0 }
        },
        close() {},
      },
    })
  if ('publish' in ask) void publish(openBenchCallboard(ask.publish), ask.aSecond, ask.targets)
  return { published, delivered }
})
