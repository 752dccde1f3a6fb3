import type { AttemptReason } from '@callboard/core/engine'
import { describe, expect, it } from 'vitest'
import type { AttemptWords } from '../../texts/english/attempts.ts'
import { english } from '../../texts/english.ts'
import { attemptWords } from './attempt-words.ts'

/** Lists every `AttemptReason`. A new reason must also be added here, or this file does not compile. */
const REASONS: Readonly<Record<AttemptReason, string>> = {
  blocked: 'address not allowed',
  dns: 'DNS lookup failed',
  connect: 'connection failed',
  tls: 'TLS handshake failed',
  certificate: 'certificate refused',
  certificate_expired: 'certificate expired',
  certificate_self_signed: 'self-signed certificate',
  certificate_name: 'certificate for another host',
  certificate_issuer: 'certificate without trusted issuer',
  timeout: 'timed out',
  reset: 'connection closed',
  protocol: 'invalid HTTP response',
  headers: 'response headers too large',
  aborted: 'interrupted on our side',
  unprepared: 'not sent, error on our side',
  crashed: 'error on our side',
}

const failed = (reason: string | undefined, status?: number): AttemptWords =>
  attemptWords({ texts: english }, { outcome: 'failed', status, reason })

describe('the outcome of an attempt', () => {
  it.each(Object.entries(REASONS))('has words for the reason %s', (reason, short) => {
    const words = failed(reason)
    expect(words.short).toBe(short)
    expect(words.cause).toMatch(/^[A-Z].*[^.]$/)
  })

  it('shows the code of an unknown reason, which a newer worker may record', () => {
    for (const reason of ['quic', 'toString']) expect(failed(reason).short).toBe(`no response (${reason})`)
  })

  it.each([
    [200, '200 OK', undefined],
    [299, '299', undefined],
    [302, '302, redirect not followed', /redirects to/],
    [401, '401 Unauthorized', /signature/],
    [404, '404 Not Found', /path/],
    [418, '418', /its response/],
    [500, '500 Internal Server Error', /what went wrong/],
    [599, '599', /what went wrong/],
  ])('names the status %i, and says how to fix a failure', (status, short, fix) => {
    const words = failed(undefined, status)
    expect([words.short, words.fix === undefined]).toEqual([short, fix === undefined])
    if (fix !== undefined) expect(words.fix).toMatch(fix)
  })
})
