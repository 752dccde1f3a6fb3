import { generateSecret } from '@callboard/signature'
import { describe, expect, it } from 'vitest'
import { parseSignatures, secretIssue } from './signature-formats.ts'

const HMAC = { type: 'hmac', header: 'X-Acme-Signature', over: 'body', encoding: 'hex' } as const
const STAMPED = { ...HMAC, over: 'timestamp.body' } as const

/** The path and code of each issue. */
function issuesOf(input: unknown): string[] {
  const parsed = parseSignatures('signatures', input, 'harbour-test')
  return parsed.ok ? [] : parsed.issues.map(({ path, code }) => `${path} ${code}`)
}

describe('the formats of signatures', () => {
  it.each([
    [['standard']],
    [['svix', 'standard']],
    [[HMAC, { ...HMAC, header: 'X-Acme-Signature-Base64', encoding: 'base64', prefix: 'sha256=' }]],
    [[{ ...STAMPED, timestampHeader: 'X-Acme-Timestamp' }]],
    [[{ ...STAMPED, prefix: 't={timestamp},v1=' }]],
    [[{ ...HMAC, header: 'Authorization', prefix: 'HMAC ' }]],
    [['standard', 'svix', { ...HMAC, header: 'Standard' }, { ...HMAC, header: 'Svix' }]],
  ])('are accepted: %j', (signatures) => {
    expect(parseSignatures('signatures', signatures, 'harbour-test')).toEqual({ ok: true, signatures })
  })

  it.each([
    ['standard', 'signatures COUNT'],
    [[], 'signatures COUNT'],
    [['standard', 'svix', HMAC, STAMPED, HMAC], 'signatures COUNT'],
    [['github'], 'signatures.0 UNKNOWN'],
    [[null], 'signatures.0 UNKNOWN'],
    [[{ ...HMAC, prefx: 'sha256=' }], 'signatures.0 UNKNOWN'],
    [['standard', { ...HMAC, type: 'rsa' }], 'signatures.1.type INVALID'],
    [[{ ...HMAC, over: 'url' }], 'signatures.0.over INVALID'],
    [[{ ...HMAC, encoding: 'HEX' }], 'signatures.0.encoding INVALID'],
    [[{ ...HMAC, prefix: 'sha256=\n' }], 'signatures.0.prefix INVALID'],
    [[{ ...HMAC, prefix: ' sha256=' }], 'signatures.0.prefix INVALID'],
    [[{ ...HMAC, prefix: 'x'.repeat(65) }], 'signatures.0.prefix INVALID'],
    [[{ ...HMAC, prefix: 't={timestamp},v1=' }], 'signatures.0.prefix INVALID'],
    [[{ ...HMAC, timestampHeader: 'X-Acme-Timestamp' }], 'signatures.0.timestampHeader INVALID'],
    [[STAMPED], 'signatures.0.timestampHeader INVALID'],
    [[{ ...STAMPED, timestampHeader: 'Date:' }], 'signatures.0.timestampHeader INVALID'],
    [['standard', 'standard'], 'signatures CONFLICT'],
    [[HMAC, { ...HMAC, header: 'x-acme-signature' }], 'signatures CONFLICT'],
    [[{ ...STAMPED, timestampHeader: HMAC.header }], 'signatures CONFLICT'],
    [[{ ...HMAC, header: 'Harbour-Test' }], 'signatures CONFLICT'],
    [[{ ...STAMPED, timestampHeader: 'Harbour-Test' }], 'signatures CONFLICT'],
  ])('are refused: %j (%s)', (input, issue) => {
    expect(issuesOf(input)).toEqual([issue])
  })

  it('are refused by the names of the fields that no format has, and not by their values', () => {
    const parsed = parseSignatures('signatures', [{ ...HMAC, prefx: 'sha256=', key: 'x' }], 'harbour-test')
    expect(parsed).toMatchObject({ issues: [{ message: 'Unknown fields in signatures.0: "prefx", "key".' }] })
  })

  it.each([
    'X Acme',
    'X-Acme:',
    '',
    'x'.repeat(65),
    'Ä',
    '__proto__',
    'Host',
    'content-type',
    'Content-Length',
    'Connection',
    'Transfer-Encoding',
    'Webhook-Signature',
    'svix-id',
    'User-Agent',
    'traceparent',
    'Callboard-Test',
    'Proxy-Authorization',
    'Date',
    'Range',
    'X-Forwarded-For',
  ])('do not use the header %j', (header) => {
    expect(issuesOf([{ ...HMAC, header }])).toEqual(['signatures.0.header INVALID'])
  })
})

describe('the secret', () => {
  it.each([
    ['any text', 'hunter2', [HMAC], undefined],
    ['any text', 'hunter2', [HMAC, 'standard'], 'FORMAT'],
    ['any text', 'hunter2', ['svix'], 'FORMAT'],
    ['a whsec_ secret', generateSecret(), ['standard', 'svix', HMAC], undefined],
    // Without `whsec_`, a secret of the platform's own table would sign with other bytes than its receivers expect.
    ['base64 without whsec_', generateSecret().slice(6), ['standard'], 'FORMAT'],
    ['no text', '', [HMAC], 'LENGTH'],
    ['256 characters', 'x'.repeat(256), [HMAC], 'LENGTH'],
    ['a control character', 'hunter2\n', [HMAC], 'CHARACTERS'],
    ['a number', 12345678, [HMAC], 'TYPE'],
  ] as const)('that is %s (%j) signs as %j: %s', (_, secret, signatures, code) => {
    const issue = secretIssue('secret', secret, signatures)
    expect(issue?.code).toBe(code)
    expect(issue?.message ?? '').not.toContain(String(secret || 'no secret'))
  })
})
