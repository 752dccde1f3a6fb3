// The suites test a store against the promises of the ports, one by one and then by random steps.
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
