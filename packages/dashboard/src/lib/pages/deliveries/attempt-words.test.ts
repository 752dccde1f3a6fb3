import type { AttemptReason } from '@callboard/core/engine'
import { describe, expect, it } from 'vitest'
import { type AttemptWords, attemptWords } from './attempt-words.ts'

/** Whoever adds a reason adds it here, or this does not compile. */
const REASONS: Readonly<Record<AttemptReason, string>> = {
  blocked: 'address refused',
  dns: 'host name not found',
  connect: 'connection refused',
  tls: 'certificate not trusted',
  timeout: 'timed out',
  reset: 'connection broken off',
  protocol: 'not an HTTP answer',
  aborted: 'interrupted on our side',
  unprepared: 'not sent, a fault on our side',
  crashed: 'not sent, a fault on our side',
}

const failed = (reason: string | undefined, status?: number): AttemptWords =>
  attemptWords({ outcome: 'failed', status, reason })

describe('what came of an attempt', () => {
  it.each(Object.entries(REASONS))('has words for the reason %s', (reason, short) => {
    const words = failed(reason)
    expect(words.short).toBe(short)
    expect(words.cause).toMatch(/^[A-Z].*[^.]$/)
  })

  it('shows the code of a reason that a newer worker wrote down', () => {
    for (const reason of ['quic', 'toString']) expect(failed(reason).short).toBe(`no answer (${reason})`)
  })

  it.each([
    [200, '200 OK', undefined],
    [299, '299', undefined],
    [302, '302, redirect refused', /redirects to/],
    [401, '401 Unauthorized', /signature/],
    [404, '404 Not Found', /path/],
    [418, '418', /response below/],
    [500, '500 Internal Server Error', /what went wrong/],
    [599, '599', /what went wrong/],
  ])('names the status %i and says what to do about it', (status, short, mend) => {
    const words = failed(undefined, status)
    expect([words.short, words.mend === undefined]).toEqual([short, mend === undefined])
    if (mend !== undefined) expect(words.mend).toMatch(mend)
  })
})
