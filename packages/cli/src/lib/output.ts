// The shape of `--json` output, which programs rely on. A command prints the record that core returns, under core's
// field names: `keys list` prints `KeyRecord`s, `deliveries list` `DeliveryRecord`s, `events list` `Envelope`s. So a
// field that core adds or renames is added or renamed here.
//
// - A `Date` is ISO 8601 text in UTC.
// - `undefined` is null, so that every record of a kind has the same fields.
// - A list is `{ "data": [...] }`. A list that is read in pages also has `nextCursor`, which is null on the last page.
//
// Commands leave out sealed secrets. If core returns nothing, or an answer combines several records, the command builds
// a small object such as `{ "id", "state" }`.

import { styleText } from 'node:util'
import { type Columns, formatFields, formatTable } from './table.ts'

/** A stream that commands write to. */
export interface TextStream extends NodeJS.WritableStream {
  readonly isTTY?: boolean | undefined
}

/** Results of a command, on stdout: tables for people, and with `--json` one JSON document for programs. */
export interface Output {
  /** Whether a program reads (`--json`). */
  readonly json: boolean
  /** Whether stdout is a terminal. */
  readonly terminal: boolean
  /** Prints one line unchanged. */
  line(text: string): void
  /** Prints a list: a table, or `{ data, …rest }`. */
  list<Row>(rows: readonly Row[], columns: Columns<Row>, rest?: Readonly<Record<string, unknown>>): void
  /** Prints one record: its fields, a line each, or the record as JSON. */
  show<Row>(row: Row, fields: Columns<Row>): void
  /** Prints an indented JSON document, for programs. */
  document(value: unknown): void
  /** Prints one JSON value on one line, for commands that run until they are stopped. */
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
 * Keeps text from strangers from controlling the terminal: escapes the control, format and line-end characters that
 * `JSON.stringify` leaves as they are. Programs read the same text.
 */
function toJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, nullForUndefined, indent).replace(/[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/gu, escaped)
}

/** Escapes both halves of a character outside the Basic Multilingual Plane. */
function escaped(character: string): string {
  return Array.from(
    { length: character.length },
    (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`,
  ).join('')
}

/** Gives every record of a kind the same fields. */
function nullForUndefined(_: string, value: unknown): unknown {
  return value === undefined ? null : value
}
