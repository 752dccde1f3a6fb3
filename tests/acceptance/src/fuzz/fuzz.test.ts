import { describe, it } from 'vitest'
import { memoryFixture } from '../stores.ts'
import { fuzz } from './fuzz.ts'

describe('whatever is sent to /v1', () => {
  it('is answered in the documented shape, without a fault and without a leak [memory]', async () => {
    await fuzz('fuzz of memory', await memoryFixture(), 500)
  })
})
