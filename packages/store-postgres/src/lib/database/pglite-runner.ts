import { randomUUID } from 'node:crypto'
import { arrayLiteral } from '../sql/array-literal.ts'
import { compile } from '../sql/compile.ts'
import type { Statement } from '../sql/statement.ts'
import type { Runner } from './database.ts'
import { lacksPrepared, serialisationFailure } from './failures.ts'

/** The part of PGlite that runs messages of Postgres's wire protocol. */
export interface PGliteProtocol {
  execProtocol(message: Uint8Array): Promise<{ readonly messages: readonly Message[] }>
  /** Functions that read the text of a value, by the OID of its type. */
  readonly parsers: Readonly<Record<number, (text: string, oid: number) => unknown>>
}

interface Message {
  readonly name: string
}

interface RowDescription extends Message {
  readonly fields: readonly { readonly name: string; readonly dataTypeID: number }[]
}

interface DataRow extends Message {
  readonly fields: readonly (string | null)[]
}

/**
 * Runs statements that are prepared the first time. PGlite's `query` would parse and plan each statement every time,
 * which took 3.2 of the 3.3 ms that it took to read a lease. Call `run` only within a transaction of PGlite's, because
 * it does not wait for those of others.
 */
export function createPgliteRunner(pglite: PGliteProtocol, schema: string): Runner {
  // Another store on the same PGlite has other names. Postgres compares only 63 characters.
  const prefix = randomUUID().slice(0, 8)
  /** For each prepared statement, the columns of its result. */
  const prepared = new Map<string, RowDescription['fields']>()

  return {
    async run<Row, Parameters extends object>(statement: Statement<Row, Parameters>, parameters: NoInfer<Parameters>) {
      const { text, values } = compile(statement, schema)
      const name = `${prefix}.${statement.name}`
      const known = prepared.get(name)
      const call = [bind(name, values(parameters).map(arrayLiteral)), EXECUTE, SYNC]
      const sent = known === undefined ? [...prepare(name, text), ...call] : call
      const { messages } = await pglite.execProtocol(Buffer.concat(sent)).catch((error: unknown) => {
        if (!lacksPrepared(error)) throw error
        // The platform has deallocated the statements of its PGlite. The transaction runs again and prepares them again.
        prepared.clear()
        throw serialisationFailure()
      })
      const columns = known ?? messages.find(isRowDescription)?.fields ?? []
      prepared.set(name, columns)
      const read = (value: string | null, column: number): unknown => {
        const oid = columns[column]?.dataTypeID ?? 0
        return value === null ? null : (pglite.parsers[oid]?.(value, oid) ?? value)
      }
      return messages
        .filter(isDataRow)
        .map(({ fields }) =>
          Object.fromEntries(columns.map((column, n) => [column.name, read(fields[n] ?? null, n)])),
        ) as Row[]
    },
  }
}

function isRowDescription(message: Message): message is RowDescription {
  return message.name === 'rowDescription'
}

function isDataRow(message: Message): message is DataRow {
  return message.name === 'dataRow'
}

// The messages of the extended query protocol: https://www.postgresql.org/docs/current/protocol-message-formats.html

function message(type: string, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts)
  return Buffer.concat([Buffer.from(type), int32(body.length + 4), body])
}

const EXECUTE = message('E', text(''), int32(0))
const SYNC = message('S')

/** Replaces the statement of that name, which is there if its first execution failed. */
function prepare(name: string, sql: string): Buffer[] {
  const statement = Buffer.concat([Buffer.from('S'), text(name)])
  return [message('C', statement), message('P', text(name), text(sql), int16(0)), message('D', statement)]
}

/** Values go out and come back as text. */
function bind(name: string, values: readonly unknown[]): Buffer {
  const parts = values.flatMap((value) => {
    if (value === null) return [int32(-1)]
    const bytes = Buffer.from(value instanceof Uint8Array ? `\\x${Buffer.from(value).toString('hex')}` : String(value))
    return [int32(bytes.length), bytes]
  })
  return message('B', text(''), text(name), int16(0), int16(values.length), ...parts, int16(0))
}

function text(value: string): Buffer {
  return Buffer.from(`${value}\0`)
}

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeInt16BE(value)
  return bytes
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}
