// A store of one's own is held to what the ports promise: each promise by itself, then random steps.
import { describeModel, describeStore, type StoreFixture } from '@callboard/store-conformance'
import { createMemoryStore } from '@callboard/store-memory'

async function fixture(): Promise<StoreFixture<unknown>> {
  let time = Date.now()
  return {
    store: createMemoryStore({ now: () => time }),
    advance(ms) {
      time += ms
    },
    cleanup() {},
  }
}

describeStore('a store', fixture)
describeModel('a store', fixture, { runs: 20 })
