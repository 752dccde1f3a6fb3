// A store of one's own is held to what the ports promise.
import { describeStore } from '@callboard/store-conformance'
import { createMemoryStore } from '@callboard/store-memory'

describeStore('a store', async () => {
  let time = Date.now()
  return {
    store: createMemoryStore({ now: () => time }),
    advance(ms: number) {
      time += ms
    },
    cleanup() {},
  }
})
