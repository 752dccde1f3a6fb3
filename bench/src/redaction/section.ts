import assert from 'node:assert/strict'
import { createRedactor } from '@callboard/core/workspace/redact'
import fastRedact from 'fast-redact'
import rfdc from 'rfdc'
import { figure, spread } from '../lib/format.ts'
import { alternate, median, ratios } from '../lib/rounds.ts'
import type { Goal, Section } from '../lib/section.ts'
import { shapes } from './shapes.ts'

const ROUND_MS = 150
const ROUNDS = 5

/** The start of a stored envelope; `data` is its last member. */
const HEAD = '{"id":"evt_01j9z3v5k7m2n4p6q8r0s1t3u5","type":"order.paid","data":'

/**
 * Measures how many envelopes `redact` completes per second. Counts the bytes of each result, as a database driver
 * does, because V8 may join the parts of a string only when its bytes are read.
 */
function perSecond(redact: () => string): number {
  const start = performance.now()
  let done = 0
  let bytes = 0
  for (; performance.now() - start < ROUND_MS; done += 10)
    for (let i = 0; i < 10; i++) bytes += Buffer.byteLength(`${HEAD}${redact()}}`)
  assert.ok(bytes > 0)
  return (done * 1000) / (performance.now() - start)
}

export const section: Section = {
  title: 'Removing personal data from events',
  async measure({ quick }) {
    const clone = rfdc()
    const goals: Goal[] = []
    const rows: string[][] = []
    const floors: number[] = []
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
          'fast-redact, and the full text': () => perSecond(() => contenders['fast-redact']() + JSON.stringify(data)),
          'JSON.stringify alone': () => perSecond(() => JSON.stringify(data)),
        },
        quick ? 3 : ROUNDS,
      )
      for (const [contender, rounds] of Object.entries(reached)) rows.push([name, contender, spread(rounds)])
      floors.push(100 * median(ratios(reached.callboard, reached['JSON.stringify alone'])))
      const better = reached['fast-redact'].map((each, round) =>
        Math.max(each, reached['clone and delete'][round] ?? 0),
      )
      goals.push({
        what: `÷ the better rival: ${name}`,
        atLeast: 1,
        guard: 0.4,
        rounds: ratios(reached.callboard, better),
      })
    }
    return {
      figures: [],
      goals,
      tables: [{ columns: ['', '', 'envelopes/s'], rows }],
      method:
        'The rivals, fast-redact and rfdc’s clone with `delete`, return only the redacted text. Callboard also ' +
        'creates the patch that restores the personal data.',
      missed:
        'The better rival never serialises the values that it removes, and does not record their positions. Callboard ' +
        'serialises everything once and finds the values in the text. Serialising alone takes ' +
        `${figure(Math.min(...floors))} to ${figure(Math.max(...floors))} % of its time.`,
    }
  },
}
