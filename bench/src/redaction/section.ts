import assert from 'node:assert/strict'
import { createRedactor } from '@callboard/core'
import fastRedact from 'fast-redact'
import rfdc from 'rfdc'
import { spread } from '../lib/format.ts'
import { alternate, ratios } from '../lib/rounds.ts'
import type { Goal, Section } from '../lib/section.ts'
import { shapes } from './shapes.ts'

const ROUND_MS = 150
const ROUNDS = 5

/** Texts in a second. Each is asked for its bytes, as every driver does: a text that is not joined yet is not done. */
function perSecond(redact: () => string): number {
  const start = performance.now()
  let done = 0
  let bytes = 0
  for (; performance.now() - start < ROUND_MS; done += 10)
    for (let i = 0; i < 10; i++) bytes += Buffer.byteLength(redact())
  assert.ok(bytes > 0)
  return (done * 1000) / (performance.now() - start)
}

export const section: Section = {
  title: 'Taking personal data out of what is published',
  async measure({ quick }) {
    const clone = rfdc()
    const goals: Goal[] = []
    const rows: string[][] = []
    for (const { name, data, paths, starred, remove } of shapes) {
      const ours = createRedactor(paths)
      const redact = fastRedact({ paths: [...starred], remove: true })
      const contenders = {
        callboard: () => ours(data).redacted,
        'fast-redact': () => String(redact(data)),
        'clone and delete': () => {
          const copy = clone(data)
          remove(copy)
          return JSON.stringify(copy)
        },
      }
      assert.equal(contenders.callboard(), contenders['clone and delete']())
      assert.equal(contenders['fast-redact'](), contenders['clone and delete']())
      const reached = await alternate(
        {
          callboard: () => perSecond(contenders.callboard),
          'fast-redact': () => perSecond(contenders['fast-redact']),
          'clone and delete': () => perSecond(contenders['clone and delete']),
          'JSON.stringify alone': () => perSecond(() => JSON.stringify(data)),
        },
        quick ? 3 : ROUNDS,
      )
      for (const [contender, rounds] of Object.entries(reached)) rows.push([name, contender, spread(rounds)])
      const better = reached['fast-redact'].map((each, round) =>
        Math.max(each, reached['clone and delete'][round] ?? 0),
      )
      goals.push({
        what: `beside the better of the two, ${name}`,
        atLeast: 1,
        guard: 0.4,
        rounds: ratios(reached.callboard, better),
      })
    }
    return {
      tables: [{ columns: ['', '', 'texts/s'], rows }],
      goals,
      notes: [
        'Rivals end with the redacted text; Callboard makes the patch that puts the personal data back as well. fast-redact with `remove`, compiled once; the clone by rfdc, the fastest we found. Without personal data all of them are `JSON.stringify`.',
      ],
    }
  },
}
