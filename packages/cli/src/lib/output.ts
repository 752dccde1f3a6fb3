// How `--json` writes what a command prints; `json-output.ts` has the types. A command prints the record that core returns: `keys list`
// prints `KeyRecord`s, `deliveries list` prints `DeliveryRecord`s, and `events list` prints `Envelope`s. A field that
// core renames is therefore renamed in this output too.
//
// - A `Date` is an ISO 8601 string in UTC.
// - `undefined` is null, so that all records of a kind have the same fields.
// - A list is `{ "data": [...] }`. A list that is read in pages also has `nextCursor`, which is null on the last page.
//
// Commands leave out sealed secrets. If core returns nothing, or if a result combines several records, the command
// builds a small object such as `{ "id", "state" }`.

import { styleText } from 'node:util'
import { type Columns, formatFields, formatTable, type Screen } from './table.ts'
import { type Colour, troubleColour } from './trouble-colour.ts'

/** A stream that commands write to. */
export interface TextStream extends NodeJS.WritableStream {
  readonly isTTY?: boolean | undefined
  /** The width of the terminal. */
  readonly columns?: number | undefined
}

/** Prints the results of a command to stdout: tables for people or, with `--json`, one JSON document for programs. */
export interface Output {
  /** Whether the output is for a program (`--json`). */
  readonly json: boolean
  /** Whether stdout is a terminal. */
  readonly terminal: boolean
  /** Gives a text a colour on a terminal that has colours. */
  paint(colour: Colour | undefined, text: string): string
  /** Prints one line unchanged. */
  line(text: string): void
  /** Prints a list, as a table or as `{ data, …rest }`. */
  list<Row>(rows: readonly Row[], columns: Columns<Row>, rest?: Readonly<Record<string, unknown>>): void
  /** Prints one record, with one line for each field or as JSON. */
  show<Row>(row: Row, fields: Columns<Row>): void
  /** Prints an indented JSON document, for programs. */
  document(value: unknown): void
  /** Prints one JSON value on one line, for commands that run until they are stopped. */
  ndjson(value: unknown): void
}

/** The width of a terminal that does not say its width, or says 0, as some do in containers. */
const UNKNOWN_WIDTH = 80

export function createOutput(stream: TextStream, isJson: () => boolean): Output {
  const line = (text: string): void => {
    stream.write(`${text}\n`)
  }
  const document = (value: unknown): void => line(toJson(value, 2))
  const paint = (colour: Colour | undefined, text: string): string =>
    colour === undefined ? text : styleText(colour, text, { stream })
  const screen = (): Screen | undefined =>
    stream.isTTY !== true
      ? undefined
      : {
          width: stream.columns || UNKNOWN_WIDTH,
          now: new Date(),
          mark: (title, text) => paint(troubleColour(title, text), text),
        }
  return {
    get json() {
      return isJson()
    },
    terminal: stream.isTTY === true,
    paint,
    line,
    document,
    ndjson: (value) => line(toJson(value)),
    list(rows, columns, rest = {}) {
      if (isJson()) return document({ data: rows, ...rest })
      if (rows.length === 0) return
      const { head, lines } = formatTable(rows, columns, screen())
      line(styleText('bold', head, { stream }))
      for (const each of lines) line(each)
    },
    show(row, fields) {
      if (isJson()) return document(row)
      for (const each of formatFields(row, fields, screen())) line(each)
    },
  }
}

/**
 * Formats a value as JSON that cannot control the terminal, even if it contains text from strangers. Escapes the
 * control, format and line-end characters that `JSON.stringify` does not escape. Parsing the JSON gives the original
 * text.
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

/** Replaces undefined with null, so that all records of a kind have the same fields: JSON leaves out undefined. */
function nullForUndefined(_: string, value: unknown): unknown {
  return value === undefined ? null : value
}
