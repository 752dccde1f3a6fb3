import { describeStore } from '@callboard/store-conformance'
import { createMemoryStore } from './index.ts'

describeStore('memory', async () => {
  let time = Date.now()
  return {
    store: createMemoryStore({ now: () => time }),
    advance(ms) {
      time += ms
    },
    cleanup() {},
  }
})
