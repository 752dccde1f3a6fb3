import { PassThrough } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import stringWidth from 'string-width'
import { expect, it } from 'vitest'
import { createOutput } from './output.ts'
import type { Columns } from './table.ts'

const HOUR = 3_600_000

const rows = [
  {
    id: 'sub_01m8q3b5k7n9r2t4v6w8y0a1c3',
    state: 'disabled (platform)',
    since: new Date(Date.now() - 3 * HOUR - 1_000),
    name: `https://x.eu/${'日本'.repeat(20)}`,
    events: 'order.paid,order.refunded,order.cancelled',
    version: undefined,
    created: new Date(Date.now() - 50 * 24 * HOUR),
  },
  {
    id: 'sub_01m8q3b5k7n9r2t4v6w8y0a1c4',
    state: 'active',
    since: undefined,
    name: `https://x.eu/${'🇩🇪'.repeat(30)}`,
    events: 'order.paid',
    version: undefined,
    created: new Date(Date.now() - 1_500),
  },
]

const COLUMNS: Columns<(typeof rows)[number]> = {
  id: ({ id }) => id,
  state: ({ state }) => state,
  since: ({ since }) => since,
  name: ({ name }) => name,
  'event types': ({ events }) => events,
  version: ({ version }) => version,
  created: ({ created }) => created,
}

/** What a list prints on a terminal of this width or, without one, into a pipe. */
function printed(columns: number | undefined, colours = 8, json = false): string {
  const stream = new PassThrough({ encoding: 'utf8' })
  if (columns !== undefined) Object.assign(stream, { isTTY: true, columns, getColorDepth: () => colours })
  createOutput(stream, () => json).list(rows, COLUMNS)
  return String(stream.read())
}

it.each([80, 100, 120, 160, 200])('fits a terminal of %d columns, with whole ids and whole characters', (width) => {
  const lines = stripVTControlCharacters(printed(width)).trimEnd().split('\n')
  for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(width)
  for (const [index, { id, state }] of rows.entries()) expect(lines[index + 1]).toContain(`${id}   ${state}`)
  expect(lines[1]).toMatch(/https:\/\/x\.eu\S*…/)
  expect(lines[2]).toMatch(/x\.eu\/(?:🇩🇪)+…/)
})

it('aligns the columns of texts that are wider or narrower than their length', () => {
  const [, ...lines] = stripVTControlCharacters(printed(160)).trimEnd().split('\n')
  const at = lines.map((line) => stringWidth(line.slice(0, line.indexOf('order.paid'))))
  expect(at[0]).toBe(at[1])
})

it('leaves out columns without a value first, then the least important, and says so', () => {
  const head = (width: number) => stripVTControlCharacters(printed(width)).split('\n')[0]
  expect(head(80)).toMatch(/^ID +STATE +NAME +…$/)
  expect(head(120)).toMatch(/^ID +STATE +SINCE +NAME +EVENT TYPES +…$/)
  expect(head(300)).toMatch(/^ID +STATE +SINCE +NAME +EVENT TYPES +VERSION +CREATED$/)
})

it('shows how long ago a time was on a terminal, and beside the time where there is space', () => {
  expect(printed(300)).toMatch(/ 3 hours ago .* 50 days ago\n/)
  expect(printed(300)).toMatch(/ 1 second ago\n/)
  const stream = Object.assign(new PassThrough({ encoding: 'utf8' }), { isTTY: true })
  createOutput(stream, () => false).show(
    { at: new Date(Date.now() + 2 * HOUR - 60_000) },
    { 'next attempt': ({ at }) => at },
  )
  expect(stream.read()).toMatch(/^next attempt {3}\d{4}-\d\d-\d\dT\S+Z \(in 2 hours\)\n$/)
})

it('colours a state that is a trouble on a terminal with colours, and nothing else', () => {
  const text = printed(200).replaceAll('\u001b', 'ESC')
  expect(text).toMatch(/ESC\[31mdisabled \(platform\) *ESC\[39m/)
  expect(text.match(/ESC\[3\dm/g)).toHaveLength(2)
  expect(printed(200, 1)).not.toContain('\u001b')
})

it('cuts and colours nothing in a pipe, where times are in ISO 8601', () => {
  const text = printed(undefined)
  expect(text).not.toContain('\u001b')
  for (const { name, created } of rows) {
    expect(text).toContain(name)
    expect(text).toContain(created.toISOString())
  }
  expect(JSON.parse(printed(80, 8, true))).toEqual({
    data: JSON.parse(JSON.stringify(rows, (_, value) => (value === undefined ? null : value))),
  })
})
