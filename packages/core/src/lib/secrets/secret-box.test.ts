import { describe, expect, it } from 'vitest'
import { isCallboardError } from '../errors.ts'
import { createKeyRing } from './key-ring.ts'
import { createSecretBox } from './secret-box.ts'

const k1 = new Uint8Array(32).fill(1)
const k2 = new Uint8Array(32).fill(2)
const box = createSecretBox(createKeyRing({ current: 'k1', keys: { k1 } }))
const SECRET = 'whsec_not-a-real-secret'

async function refusal(opening: Promise<string>): Promise<string> {
  try {
    await opening
  } catch (error) {
    if (isCallboardError(error, 'CONFIGURATION_INVALID')) return error.message
    throw error
  }
  throw new Error('it opened')
}

describe('a sealed secret', () => {
  it('opens for its own subscription', async () => {
    const sealed = await box.seal('sub_1', SECRET)
    expect(sealed).toMatch(/^v1\.k1\.[A-Za-z0-9_-]+$/)
    expect(await box.open('sub_1', sealed)).toBe(SECRET)
  })

  it('does not open for another subscription', async () => {
    expect(await refusal(box.open('sub_2', await box.seal('sub_1', SECRET)))).toMatch(/another subscription/)
  })

  it('is a different string each time the same secret is sealed', async () => {
    expect(await box.seal('sub_1', SECRET)).not.toBe(await box.seal('sub_1', SECRET))
  })

  it('still opens after another key has become current, and new secrets are sealed with that key', async () => {
    const rotated = createSecretBox(createKeyRing({ current: 'k2', keys: { k1, k2 } }))
    expect(await rotated.open('sub_1', await box.seal('sub_1', SECRET))).toBe(SECRET)
    expect(await rotated.seal('sub_1', SECRET)).toMatch(/^v1\.k2\./)
  })

  it('does not open when its key is missing, and the error names the key', async () => {
    const without = createSecretBox(createKeyRing({ current: 'k2', keys: { k2 } }))
    expect(await refusal(without.open('sub_1', await box.seal('sub_1', SECRET)))).toMatch(/has no key k1/)
  })

  it('does not open with a different key that has the same id', async () => {
    const other = createSecretBox(createKeyRing({ current: 'k1', keys: { k1: k2 } }))
    expect(await refusal(other.open('sub_1', await box.seal('sub_1', SECRET)))).toMatch(/cannot be opened/)
  })

  it('does not open when any character has been changed, and no error reveals its contents', async () => {
    const sealed = await box.seal('sub_1', SECRET)
    const body = sealed.slice('v1.k1.'.length)
    for (let at = 0; at < sealed.length; at++) {
      const changed = sealed.slice(0, at) + (sealed[at] === 'A' ? 'B' : 'A') + sealed.slice(at + 1)
      const message = await refusal(box.open('sub_1', changed))
      expect(message).not.toContain(body.slice(0, 8))
      expect(message).not.toContain(SECRET)
    }
  })

  it.each(['', 'v1', 'v1.k1', 'v1.k1.', 'v1.k1.AAAA', 'v2.k1.AAAA', 'v1.k1.====', `v1.k1.${'A'.repeat(38)}.x`])(
    'cannot be read from %j',
    async (sealed) => {
      expect(await refusal(box.open('sub_1', sealed))).toMatch(/cannot read/)
    },
  )
})
