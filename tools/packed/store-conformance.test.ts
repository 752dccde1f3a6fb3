// Two suites test a store against what the ports guarantee: `describeStore` tests one guarantee after another, and
// `describeRunner` takes random steps on it and on a reference.
import { describeRunner, describeStore, type RunnerFixture, type StoreFixture } from '@callboard/store-conformance'
import { createMemoryStore } from '@callboard/store-memory'

async function fixture(): Promise<StoreFixture<unknown> & RunnerFixture> {
  let time = Date.now()
  return {
    store: createMemoryStore({ now: () => time }),
    advance(ms) {
      time += ms
    },
    stopClock(at) {
      time = at
    },
    cleanup() {},
  }
}

describeStore('a store', fixture)
describeRunner('a store', fixture, fixture, { runs: 20 })
