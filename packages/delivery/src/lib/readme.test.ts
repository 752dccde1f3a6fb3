import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { MAX_KEPT_BYTES } from './http/kept-text.ts'
import { readWorkerOptions } from './worker/worker-options.ts'

const README = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
const LIMITS = readFileSync(new URL('../../../../docs/limits.md', import.meta.url), 'utf8')
const defaults = readWorkerOptions({}, Number.POSITIVE_INFINITY)

/** The first table row that contains the given string. */
function rowOf(page: string, text: string): string {
  return page.split('\n').find((line) => line.startsWith('| ') && line.includes(text)) ?? ''
}

function inUnits(ms: number): string {
  if (ms % 3_600_000 === 0) return `${ms / 3_600_000} h`
  return ms % 60_000 === 0 ? `${ms / 60_000} min` : `${ms / 1_000} s`
}

it.each(Object.entries(defaults).filter(([option]) => option !== 'leaseMs' && option !== 'retentionMs'))(
  'shows the default of %s in the README',
  (option, value) => {
    const shown = typeof value === 'number' ? value.toLocaleString('en') : value.map(inUnits).join(', ')
    expect(rowOf(README, `| \`${option}\` |`).split(' | ').at(-1)).toContain(shown)
  },
)

it('shows the worker’s limits in docs/limits.md', () => {
  expect(rowOf(LIMITS, '`deadlineMs`')).toContain(inUnits(defaults.deadlineMs))
  expect(rowOf(LIMITS, '`perSubscription`')).toContain(` ${defaults.perSubscription} `)
  expect(rowOf(LIMITS, 'response is read')).toContain(`${MAX_KEPT_BYTES / 1024} KiB`)
})
