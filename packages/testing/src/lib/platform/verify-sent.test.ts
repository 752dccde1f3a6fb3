import { generateSecret, sign } from '@callboard/signature'
import { expect, it } from 'vitest'
import { verifySent } from './verify-sent.ts'

const url = 'https://shop.example/hook'

it.each([
  // The example in GitHub's documentation of webhooks.
  [
    { type: 'hmac', header: 'X-Hub-Signature-256', over: 'body', encoding: 'hex', prefix: 'sha256=' },
    { 'X-Hub-Signature-256': 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17' },
  ],
  // Made with: printf '1700000000.Hello, World!' | openssl dgst -sha256 -hmac "It's a Secret to Everybody"
  [
    { type: 'hmac', header: 'X-Acme', over: 'timestamp.body', encoding: 'base64', timestampHeader: 'X-Acme-Time' },
    { 'x-acme': 'dsg/0KzfIvrtMgZ0/o4E1SjP6KF5BecgqWEeQGd8A7c=', 'x-acme-time': '1700000000' },
  ],
  [
    { type: 'hmac', header: 'X-Acme', over: 'timestamp.body', encoding: 'hex', prefix: 't={timestamp},v1=' },
    {
      'X-Acme': 't=1700000000,v1=76c83fd0acdf22faed320674fe8e04d528cfe8a17905e720a9611e40677c03b7',
      'webhook-timestamp': '1700000000',
    },
  ],
] as const)('recognises the header of a platform’s own: %j', async (format, headers) => {
  const options = { signatures: [format], secret: ["It's a Secret to Everybody"], now: new Date() }
  expect(await verifySent({ url, headers, body: 'Hello, World!' }, options)).toBe(true)
  expect(await verifySent({ url, headers, body: 'Hello, World?' }, options)).toBe(false)
  expect(await verifySent({ url, headers, body: 'Hello, World!' }, { ...options, secret: ['other'] })).toBe(false)
  expect(await verifySent({ url, headers: {}, body: 'Hello, World!' }, options)).toBe(false)
})

it('demands each signature that the subscription has', async () => {
  const secret = generateSecret()
  const body = '{}'
  const now = new Date(1_700_000_000_000)
  const signature = await sign({ id: 'evt_1', timestamp: 1_700_000_000, body, secret })
  const headersOf = (prefix: string) => {
    return { [`${prefix}-id`]: 'evt_1', [`${prefix}-timestamp`]: '1700000000', [`${prefix}-signature`]: signature }
  }
  const both = { ...headersOf('webhook'), ...headersOf('svix') }
  const options = { signatures: ['standard', 'svix'], secret: [secret], now } as const
  expect(await verifySent({ url, headers: both, body }, options)).toBe(true)
  expect(await verifySent({ url, headers: both, body }, { ...options, secret: [secret, 'hunter2'] })).toBe(true)
  expect(await verifySent({ url, headers: both, body }, { ...options, secret: [generateSecret()] })).toBe(false)
  expect(await verifySent({ url, headers: headersOf('webhook'), body }, options)).toBe(false)
  const late = { ...options, now: new Date(now.getTime() + 3_600_000) }
  await expect(verifySent({ url, headers: both, body }, late)).rejects.toMatchObject({ code: 'TIMESTAMP_TOO_OLD' })
})
