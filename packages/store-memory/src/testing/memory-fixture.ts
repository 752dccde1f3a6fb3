import type { StoreFixture } from '@callboard/store-conformance'
import { createMemoryStore } from '../lib/memory-store.ts'

/** Creates an empty store whose clock moves only when `advance` is called. */
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
