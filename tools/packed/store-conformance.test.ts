// Two suites test a store against what the ports guarantee: `describeStore` tests one guarantee after another, and
// `describeModel` takes random steps.
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
