import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { generateSecret, verifySync, WebhookVerificationError } from '../index.ts'
import { implementations, onWeb } from './implementations.ts'
import { vectors } from './vectors.ts'

const [first] = vectors
const { secret, id, timestamp, body, signature } = first
const at = (seconds: number) => new Date(seconds * 1000)
const headers = { 'webhook-id': id, 'webhook-timestamp': String(timestamp), 'webhook-signature': signature }
const request = { body, headers, secret, now: at(timestamp) }
const bytes = new TextEncoder().encode(body)

/** A well-formed signature that matches nothing. */
const wrong = `v1,${'A'.repeat(43)}=`

describe.each(implementations)('verify ($name)', ({ sign, verify }) => {
  const refused = (code: string) => expect.objectContaining({ name: 'WebhookVerificationError', code })

  it.each(vectors)('accepts the known signature of $id', async (vector) => {
    const verified = await verify({
      body: vector.body,
      headers: {
        'webhook-id': vector.id,
        'webhook-timestamp': `${vector.timestamp}`,
        'webhook-signature': vector.signature,
      },
      secret: vector.secret,
      now: at(vector.timestamp),
    })
    expect(verified).toEqual({ id: vector.id, timestamp: at(vector.timestamp), payload: JSON.parse(vector.body) })
  })

  describe('the body', () => {
    it.each([
      ['string', body],
      ['Uint8Array', bytes],
      ['Buffer', Buffer.from(bytes)],
      ['ArrayBuffer', bytes.buffer],
      ['view into a larger buffer', new Uint8Array([1, 2, ...bytes, 3]).subarray(2, -1)],
      ['view of shared memory', new Uint8Array(new SharedArrayBuffer(bytes.length)).map((_, i) => bytes[i] ?? 0)],
      ['Uint8Array of another realm', runInNewContext('new Uint8Array(list)', { list: [...bytes] })],
      ['ArrayBuffer of another realm', runInNewContext('new Uint8Array(list).buffer', { list: [...bytes] })],
    ])('may be a %s', async (_, raw) => {
      expect((await verify({ ...request, body: raw })).payload).toEqual({ test: 2432232314 })
    })

    it.each([
      ['parsed JSON', JSON.parse(body)],
      ['an array', [1]],
      ['undefined', undefined],
      ['null', null],
      ['a number', 5],
    ])('may not be %s', async (_, parsed) => {
      await expect(verify({ ...request, body: parsed })).rejects.toEqual(refused('BODY_INVALID'))
    })

    it.each([
      ['followed by a space', `${body} `],
      ['parsed and serialised again', JSON.stringify(JSON.parse(body))],
      ['empty', ''],
    ])('is refused when it is %s', async (_, other) => {
      await expect(verify({ ...request, body: other })).rejects.toEqual(refused('SIGNATURE_MISMATCH'))
    })

    it.each([
      ['not JSON', 'hello'],
      ['empty', ''],
      ['not UTF-8', new Uint8Array([0x22, 0xff, 0x22])],
    ])('is refused when it is correctly signed but %s', async (_, raw) => {
      const signed = await sign({ id, timestamp, body: raw, secret })
      const refusal = verify({ ...request, body: raw, headers: { ...headers, 'webhook-signature': signed } })
      await expect(refusal).rejects.toEqual(refused('PAYLOAD_INVALID'))
    })
  })

  describe('the headers', () => {
    it.each<[string, typeof request.headers | Headers | Record<string, string | string[] | undefined>]>([
      ['Headers', new Headers(headers)],
      [
        'a plain object in title case',
        { 'Webhook-Id': id, 'Webhook-Timestamp': `${timestamp}`, 'Webhook-Signature': signature },
      ],
      [
        'a plain object in capitals',
        Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value])),
      ],
      ['one-element arrays', Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]))],
      ['an object with a header called get', { get: 'x', cookie: undefined, ...headers }],
      ['an object without a prototype', Object.assign(Object.create(null), headers)],
      ['repeated signatures in an array', { ...headers, 'webhook-signature': [wrong, signature] }],
      [
        'repeated signatures joined by the runtime',
        new Headers([...Object.entries(headers), ['webhook-signature', wrong]]),
      ],
    ])('may be %s', async (_, shape) => {
      expect((await verify({ ...request, headers: shape })).id).toBe(id)
    })

    it.each(Object.keys(headers))('are refused when %s is missing or empty', async (name) => {
      const { [name]: _, ...others }: Record<string, string> = headers
      for (const shape of [
        others,
        new Headers(others),
        { ...others, [name]: '' },
        { ...others, [name]: [] },
        { ...others, [name]: undefined },
      ]) {
        await expect(verify({ ...request, headers: shape })).rejects.toEqual(refused('HEADER_MISSING'))
      }
    })

    it.each([
      ['null', null],
      ['undefined', undefined],
      ['text', 'webhook-id: 1'],
      ['a number in place of a string', { ...headers, 'webhook-timestamp': timestamp }],
      ['an object in place of a string', { ...headers, 'webhook-id': Object.create(null) }],
      ['a symbol in place of a string', { ...headers, 'webhook-id': [Symbol('id')] }],
    ])('are refused when they are %s', async (_, shape) => {
      // @ts-expect-error: not headers
      await expect(verify({ ...request, headers: shape })).rejects.toEqual(refused('HEADER_MISSING'))
    })

    it('are refused when they have two ids or two timestamps, even if one of the two is right', async () => {
      for (const twice of [
        { ...headers, 'webhook-id': [id, id] },
        { ...headers, 'Webhook-Id': 'evt_2' },
      ]) {
        await expect(verify({ ...request, headers: twice })).rejects.toEqual(refused('ID_INVALID'))
      }
      const times = new Headers([...Object.entries(headers), ['webhook-timestamp', '1']])
      await expect(verify({ ...request, headers: times })).rejects.toEqual(refused('TIMESTAMP_INVALID'))
    })

    it('are refused when the id has a full stop, because the signature of another request could match', async () => {
      const signed = await sign({ id: 'evt_1', timestamp, body: '2.5', secret })
      const moved = { 'webhook-id': `evt_1.${timestamp}`, 'webhook-timestamp': '2', 'webhook-signature': signed }
      await expect(verify({ ...request, body: '5', headers: moved, now: at(2) })).rejects.toEqual(refused('ID_INVALID'))
    })
  })

  describe('the timestamp', () => {
    it.each([
      '123abc',
      'abc',
      '-1',
      '+1',
      '1.5',
      '1e9',
      '0x10',
      ' 1',
      '1 ',
      '1\n',
      '١٢',
      '1234567890123',
      '1614265330.',
    ])('is refused when it is %j', async (value) => {
      const shape = { ...headers, 'webhook-timestamp': value }
      await expect(verify({ ...request, headers: shape })).rejects.toEqual(refused('TIMESTAMP_INVALID'))
    })

    it.each([-300, -299, 0, 299, 300, 300.999])('is accepted when it is %d s before now', async (seconds) => {
      await expect(verify({ ...request, now: at(timestamp + seconds) })).resolves.toMatchObject({ id })
    })

    it('is refused when it is 301 s before or after now', async () => {
      await expect(verify({ ...request, now: at(timestamp + 301) })).rejects.toEqual(refused('TIMESTAMP_TOO_OLD'))
      await expect(verify({ ...request, now: at(timestamp - 301) })).rejects.toEqual(refused('TIMESTAMP_TOO_NEW'))
    })

    it('is refused with the difference, the tolerance and an advice', async () => {
      for (const [now, skew] of [
        [timestamp + 3600, 3600],
        [timestamp - 301, -301],
      ] as const)
        await expect(verify({ ...request, now: at(now) })).rejects.toThrow(
          `webhook-timestamp is off by ${skew} s, more than 300 s: check this machine's clock`,
        )
    })

    it('may be as far from now as the option tolerance says', async () => {
      await expect(verify({ ...request, tolerance: 3600, now: at(timestamp + 3600) })).resolves.toMatchObject({ id })
      await expect(verify({ ...request, tolerance: 0, now: at(timestamp + 1) })).rejects.toEqual(
        refused('TIMESTAMP_TOO_OLD'),
      )
      await expect(verify({ ...request, tolerance: 0, now: at(timestamp - 1) })).rejects.toEqual(
        refused('TIMESTAMP_TOO_NEW'),
      )
    })

    it('is always refused when the option tolerance or now is invalid', async () => {
      await expect(verify({ ...request, tolerance: Number.NaN })).rejects.toEqual(refused('TIMESTAMP_TOO_OLD'))
      await expect(verify({ ...request, now: new Date('?') })).rejects.toEqual(refused('TIMESTAMP_TOO_OLD'))
    })

    it('is compared with the system clock when the option now is not given', async () => {
      await expect(verify({ body, headers, secret })).rejects.toEqual(refused('TIMESTAMP_TOO_OLD'))
    })

    it('may have twelve digits, and is returned as a date', async () => {
      const far = 999_999_999_999
      const signed = await sign({ id, timestamp: far, body, secret })
      const shape = { ...headers, 'webhook-timestamp': `${far}`, 'webhook-signature': signed }
      expect((await verify({ ...request, headers: shape, now: at(far) })).timestamp).toEqual(at(far))
    })
  })

  describe('the signatures', () => {
    const given = (value: string) => verify({ ...request, headers: { ...headers, 'webhook-signature': value } })
    const digest = signature.slice(3)

    it.each([
      ['after unknown versions', `v1a,${digest} v2,${digest} ${signature}`],
      ['after malformed signatures', `v1 v1, , nonsense v1,%%% v1,${digest}= ${signature}`],
      ['after a wrong signature', `${wrong} ${signature}`],
      ['before a wrong signature', `${signature} ${wrong}`],
      ['as the sixteenth', `${`${wrong} `.repeat(15)}${signature}`],
    ])('are accepted if the right one comes %s', async (_, value) => {
      await expect(given(value)).resolves.toMatchObject({ id })
    })

    it.each([
      ['are all wrong', wrong],
      ['differ in the first character', signature.replace('v1,g', 'v1,h')],
      ['differ in the last character', signature.replace('E=', 'I=')],
      ['encode the same bytes in other base64', signature.replace('E=', 'F=')],
      ['lack the version', digest],
      ['are of another version', `v1a,${digest} V1,${digest} v11,${digest}`],
      ['lack the padding', signature.replace('=', '')],
      ['are cut off', signature.slice(0, 20)],
      ['are base64 of too many bytes', `v1,${digest.replace('=', 'A')}AAAA`],
      ['contain characters outside ASCII', `v1,${'é'.repeat(43)}=`],
      ['come after sixteen others', `${`${wrong} `.repeat(16)}${signature}`],
      ['are a megabyte of spaces', ' '.repeat(1 << 20)],
      ['are a megabyte of one signature', 'v1,'.repeat(1 << 18)],
    ])('are refused when they %s', async (_, value) => {
      await expect(given(value)).rejects.toEqual(refused('SIGNATURE_MISMATCH'))
    })

    it('do not match another id or timestamp, because both are signed, too', async () => {
      for (const shape of [
        { ...headers, 'webhook-id': 'msg_other' },
        { ...headers, 'webhook-timestamp': `${timestamp + 1}` },
      ]) {
        await expect(verify({ ...request, headers: shape })).rejects.toEqual(refused('SIGNATURE_MISMATCH'))
      }
    })
  })

  describe('the secrets', () => {
    it('may be several, of which one must match', async () => {
      for (const secrets of [[secret], [generateSecret(), secret], [secret, generateSecret()]]) {
        await expect(verify({ ...request, secret: secrets })).resolves.toMatchObject({ id })
      }
    })

    it('may be the old one, the new one or both when the request is signed with both', async () => {
      const [newer, older] = [generateSecret(), generateSecret()]
      const both = { ...headers, 'webhook-signature': await sign({ ...first, secret: [newer, older] }) }
      for (const held of [older, newer, [newer, older]]) {
        await expect(verify({ ...request, headers: both, secret: held })).resolves.toMatchObject({ id })
      }
    })

    it('lead to a refusal when none of them matches', async () => {
      for (const others of [generateSecret(), [generateSecret(), generateSecret()]]) {
        await expect(verify({ ...request, secret: others })).rejects.toEqual(refused('SIGNATURE_MISMATCH'))
      }
    })

    it.each(['', 'whsec_', 'whsec_AAAA', `${secret}\n`, [], [secret, 'whsec_AAAA']].map((value) => [value]))(
      'are refused when they are %j',
      async (value) => {
        await expect(verify({ ...request, secret: value })).rejects.toEqual(refused('SECRET_INVALID'))
      },
    )
  })

  it('never quotes the request in its errors', async () => {
    const marked = 'MARKEDVALUE'
    const signed = await sign({ id, timestamp, body: marked, secret })
    const attempts = [
      { ...request, body: marked, headers: { ...headers, 'webhook-signature': signed } },
      { ...request, body: marked },
      { ...request, secret: marked },
      { ...request, headers: { ...headers, 'webhook-id': `${marked}.` } },
      { ...request, headers: { ...headers, 'webhook-timestamp': marked } },
      { ...request, headers: { ...headers, 'webhook-signature': marked } },
    ]
    for (const attempt of attempts) {
      const error: Error = await verify(attempt).then(
        () => expect.fail('accepted'),
        (reason) => reason,
      )
      expect(error).toBeInstanceOf(WebhookVerificationError)
      expect(`${error.message} ${String(error.cause)}`).not.toContain(marked)
    }
  })
})

describe('verifySync', () => {
  it('is exported and verifies', () => {
    expect(verifySync(request)).toMatchObject({ id, payload: { test: 2432232314 } })
  })

  it('throws SYNC_UNAVAILABLE without node:crypto, whatever the input', () => {
    expect(() => onWeb.verifySync(request)).toThrow(expect.objectContaining({ code: 'SYNC_UNAVAILABLE' }))
    expect(() => onWeb.verifySync({ ...request, secret: '' })).toThrow(
      expect.objectContaining({ code: 'SYNC_UNAVAILABLE' }),
    )
  })
})
