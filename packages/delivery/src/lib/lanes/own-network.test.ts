import { expect, it } from 'vitest'
import type { TransportOutcome } from '../http/transport.ts'
import { createOwnNetwork } from './own-network.ts'

const SILENCE: TransportOutcome = { kind: 'failed', reason: 'connect', cause: 'silence', durationMs: 5_000 }
const TIMEOUT: TransportOutcome = { kind: 'failed', reason: 'timeout', durationMs: 15_000 }
const REFUSED: TransportOutcome = { kind: 'failed', reason: 'connect', durationMs: 1 }
const ANSWER: TransportOutcome = { kind: 'response', status: 500, body: '', truncated: false, durationMs: 1 }
const DOWN = { cause: 'network', name: '' }

function start() {
  let time = 100_000
  const { judge } = createOwnNetwork(() => time)
  return {
    judge,
    pass(ms: number) {
      time += ms
    },
  }
}

it('is down once three hosts are silent and none has answered for ten seconds', () => {
  const { judge, pass } = start()
  expect(judge('a', ANSWER)).toBeUndefined()
  pass(9_000)
  for (const host of ['a', 'b', 'c', 'd']) expect(judge(host, SILENCE)).toBeUndefined()
  pass(1_000)
  expect(judge('a', SILENCE)).toEqual(DOWN)
  expect(judge('e', TIMEOUT)).toEqual(DOWN)
})

it('is not down because of one or two hosts, or of hosts that were silent long ago', () => {
  const { judge, pass } = start()
  for (const host of ['a', 'b', 'a', 'b']) expect(judge(host, SILENCE)).toBeUndefined()
  pass(10_001)
  expect(judge('c', SILENCE)).toBeUndefined()
  expect(judge('d', TIMEOUT)).toBeUndefined()
})

it.each([ANSWER, REFUSED, { kind: 'failed', reason: 'tls', durationMs: 1 }] as const)(
  'works if a host answers, even with %o',
  (answer) => {
    const { judge } = start()
    for (const host of ['a', 'b', 'c']) judge(host, SILENCE)
    expect(judge('d', answer)).toBeUndefined()
    expect(judge('a', SILENCE)).toBeUndefined()
  },
)

it.each([
  ['resolver', 'network'],
  ['resources', 'resources'],
  ['proxy', 'proxy'],
] as const)('names %s at once as the obstacle %s', (cause, obstacle) => {
  expect(start().judge('a', { ...REFUSED, cause })).toEqual({ cause: obstacle, name: '' })
})
