import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { generateSecret, sign, WebhookVerificationError } from '../index.ts'

const base64 = (length: number) => Buffer.alloc(length, 7).toString('base64')
const attempt = (secret: string | string[]) => sign({ id: 'evt_1', timestamp: 1, body: '{}', secret })

describe('generateSecret', () => {
  it('returns whsec_ and the base64 of 32 bytes, different each time', () => {
    const secrets = Array.from({ length: 50 }, generateSecret)
    expect(new Set(secrets).size).toBe(50)
    for (const secret of secrets) {
      expect(secret).toMatch(/^whsec_[A-Za-z\d+/]{43}=$/)
      expect(Buffer.from(secret.slice(6), 'base64')).toHaveLength(32)
    }
  })

  it('returns secrets that sign accepts', async () => {
    await expect(attempt(generateSecret())).resolves.toMatch(/^v1,/)
  })
})

describe('sign with many secrets', () => {
  it('never uses the wrong secret, even if more secrets are in use than fit in the cache', async () => {
    const secrets = Array.from({ length: 2500 }, generateSecret)
    for (const round of [secrets, secrets.toReversed()]) {
      for (const secret of round) {
        const hmac = createHmac('sha256', Buffer.from(secret.slice(6), 'base64'))
          .update('evt_1.1.{}')
          .digest('base64')
        expect(await attempt(secret)).toBe(`v1,${hmac}`)
      }
    }
  })
})

describe('sign with one secret', () => {
  it('asks about the environment variable if the secret is empty or undefined', async () => {
    for (const secret of ['', process.env['NOT_SET'] as string, []])
      await expect(attempt(secret)).rejects.toThrow(
        'A secret is whsec_ followed by the base64 of 24 to 64 bytes; is its environment variable set?',
      )
  })

  it.each([24, 25, 26, 32, 62, 63, 64])('accepts a secret of %i bytes', async (length) => {
    await expect(attempt(`whsec_${base64(length)}`)).resolves.toMatch(/^v1,/)
  })

  it('gives the same signature if the secret lacks the prefix whsec_', async () => {
    expect(await attempt(base64(32))).toBe(await attempt(`whsec_${base64(32)}`))
  })

  it.each([0, 1, 3, 23, 65, 66, 4096])('refuses a secret of %i bytes', async (length) => {
    await expect(attempt(`whsec_${base64(length)}`)).rejects.toMatchObject({ code: 'SECRET_INVALID' })
  })

  it.each([
    ['a line break at the end', `whsec_${base64(32)}\n`],
    ['a space inside', `whsec_${base64(33).replace('w', ' ')}`],
    ['base64url', `whsec_${'-_-_'.repeat(10)}`],
    ['no padding', `whsec_${base64(32).replace('=', '')}`],
    ['too much padding', `whsec_${base64(33).slice(0, -3)}===`],
    ['another prefix', `whsk_${base64(32)}`],
    ['one bad secret among good ones', [generateSecret(), 'whsec_']],
  ])('refuses a secret with %s', async (_, secret) => {
    await expect(attempt(secret)).rejects.toMatchObject({ code: 'SECRET_INVALID' })
  })

  it.each([[undefined], [null], [32], [{}], [[undefined]]])('refuses the secret %j', async (secret) => {
    // @ts-expect-error: a secret is a string
    await expect(attempt(secret)).rejects.toBeInstanceOf(WebhookVerificationError)
  })

  it('does not quote a refused secret in the error message', async () => {
    const secret = `whsec_${base64(23)}`
    const error: Error = await attempt(secret).then(
      () => expect.fail('accepted'),
      (reason) => reason,
    )
    expect(error.message).not.toContain(secret.slice(6))
  })
})
