// What `--json` prints, and so what programs go by. A command prints the record that core's verb gave it, under core's own field
// names: `keys list` a `KeyRecord`, `deliveries list` a `DeliveryRecord`, `events list` an `Envelope`. `JSON.stringify` does the rest:
//
// - a `Date` is ISO 8601 text in UTC;
// - `undefined` is null, so that a kind of record has the same fields each time;
// - a list is `{ "data": [...] }`, and one that is read in pages has `nextCursor` as well, null on its last page.
//
// A command takes out what nobody is to see (sealed secrets). Where core's verb gives nothing, or several records make one answer, the
// command builds a small object of its own, such as `{ "id", "state" }`. So a field that core gains or renames is gained or renamed here.

import { styleText } from 'node:util'
import { type Columns, formatFields, formatTable } from './table.ts'

/** A stream that commands write to. */
export interface TextStream extends NodeJS.WritableStream {
  readonly isTTY?: boolean | undefined
}

/** What a command has found or made, on stdout: tables for people, and with `--json` one JSON document for programs. */
export interface Output {
  /** Whether a program reads (`--json`). */
  readonly json: boolean
  /** Whether a person reads along. */
  readonly terminal: boolean
  /** One line as it is. */
  line(text: string): void
  /** A list: a table, or `{ data, …rest }`. */
  list<Row>(rows: readonly Row[], columns: Columns<Row>, rest?: Readonly<Record<string, unknown>>): void
  /** One thing: its fields, a line each, or the thing itself. */
  show<Row>(row: Row, fields: Columns<Row>): void
  /** What only programs read: a JSON document, indented. */
  document(value: unknown): void
  /** One JSON value on one line, for commands that go on. */
  ndjson(value: unknown): void
}

export function createOutput(stream: TextStream, isJson: () => boolean): Output {
  const line = (text: string): void => {
    stream.write(`${text}\n`)
  }
  const document = (value: unknown): void => line(toJson(value, 2))
  return {
    get json() {
      return isJson()
    },
    terminal: stream.isTTY === true,
    line,
    document,
    ndjson: (value) => line(toJson(value)),
    list(rows, columns, rest = {}) {
      if (isJson()) return document({ data: rows, ...rest })
      if (rows.length === 0) return
      const { head, lines } = formatTable(rows, columns)
      line(styleText('bold', head, { stream }))
      for (const each of lines) line(each)
    },
    show(row, fields) {
      if (isJson()) return document(row)
      for (const each of formatFields(row, fields)) line(each)
    },
  }
}

/**
 * What a stranger wrote is no command to a terminal, as in tables: of controls, marks and line ends what `JSON.stringify` leaves as it is
 * becomes escapes, which mean the same to programs.
 */
function toJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, nullForUndefined, indent).replace(/[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/gu, escaped)
}

/** Of a character outside the first plane both its halves. */
function escaped(character: string): string {
  return Array.from(
    { length: character.length },
    (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`,
  ).join('')
}

/** Programs get the same fields each time. */
function nullForUndefined(_: string, value: unknown): unknown {
  return value === undefined ? null : value
}
