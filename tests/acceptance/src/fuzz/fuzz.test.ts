import { describe, it } from 'vitest'
import { memoryFixture } from '../stores.ts'
import { fuzz } from './fuzz.ts'

describe('any request to /v1', () => {
  it('is answered in the documented shape, without an error or a leak [memory]', async () => {
    await fuzz('fuzz of memory', await memoryFixture(), 500)
  })
})
