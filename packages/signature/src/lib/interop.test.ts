import { Webhook as StandardWebhook } from 'standardwebhooks'
import { Webhook as SvixWebhook } from 'svix'
import { describe, expect, it } from 'vitest'
import { generateSecret } from '../index.ts'
import { implementations } from './implementations.ts'

const others = [
  { other: 'standardwebhooks', Webhook: StandardWebhook },
  { other: 'svix 1.24.0', Webhook: SvixWebhook },
]

const bodies = ['{"type":"order.paid","data":{"total":1250}}', '{"name":"Zoë 🎟"}', ' [1, 2.50] ']

// The other libraries check timestamps against the system clock, so these tests sign with the current time.
const timestamp = Math.floor(Date.now() / 1000)
const id = 'evt_01jd4k8vb3q6zt0x9m7n2p5rwy'
const headersWith = (signature: string) => ({
  'webhook-id': id,
  'webhook-timestamp': String(timestamp),
  'webhook-signature': signature,
})

describe.each(others)('$other', ({ Webhook }) => {
  describe.each(implementations)('with $name', ({ sign, verify }) => {
    it.each(bodies)('produces a signature of %s that we accept', async (body) => {
      const secret = generateSecret()
      const signature = new Webhook(secret).sign(id, new Date(timestamp * 1000), body)
      const verified = await verify({ body, headers: headersWith(signature), secret })
      expect(verified).toEqual({ id, timestamp: new Date(timestamp * 1000), payload: JSON.parse(body) })
    })

    it.each(bodies)('accepts our signature of %s, given as a string and as bytes', async (body) => {
      const secret = generateSecret()
      for (const raw of [body, Buffer.from(body)]) {
        const headers = headersWith(await sign({ id, timestamp, body: raw, secret }))
        expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body))
      }
    })

    it('accepts our signatures when it has either of the two secrets of a rotation', async () => {
      const secrets = [generateSecret(), generateSecret()]
      const headers = headersWith(await sign({ id, timestamp, body: '{}', secret: secrets }))
      for (const secret of secrets) expect(new Webhook(secret).verify('{}', headers)).toEqual({})
    })

    it('refuses our signature, and we refuse its signature, when the two secrets differ', async () => {
      const headers = headersWith(await sign({ id, timestamp, body: '{}', secret: generateSecret() }))
      expect(() => new Webhook(generateSecret()).verify('{}', headers)).toThrow()
      const signature = new Webhook(generateSecret()).sign(id, new Date(timestamp * 1000), '{}')
      const refusal = verify({ body: '{}', headers: headersWith(signature), secret: generateSecret() })
      await expect(refusal).rejects.toMatchObject({ code: 'SIGNATURE_MISMATCH' })
    })
  })
})
