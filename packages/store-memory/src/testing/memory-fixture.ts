import type { StoreFixture } from '@callboard/store-conformance'
import { createMemoryStore } from '../lib/memory-store.ts'

/** An empty store whose clock moves only by `advance`. */
export async function memoryFixture(): Promise<StoreFixture<unknown>> {
  let time = Date.now()
  return {
    store: createMemoryStore({ now: () => time }),
    advance(ms) {
      time += ms
    },
    cleanup() {},
  }
}
