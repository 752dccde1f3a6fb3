/** The statements that a release ran on its schema, and the rows that it got. */
export interface RecordedSession {
  /** The text of each statement, by its name. */
  readonly statements: Readonly<Record<string, string>>
  readonly calls: readonly RecordedCall[]
}

export interface RecordedCall {
  /** The name of a statement; for `begin` and `commit`, their text. */
  readonly run: string
  readonly values: readonly RecordedValue[]
  /** `*` stands for a value that differs from run to run. */
  readonly rows: readonly Readonly<Record<string, unknown>>[]
}

export type RecordedValue = string | number | boolean | null | { readonly base64: string } | readonly RecordedValue[]

export function toParameter(value: RecordedValue): unknown {
  if (typeof value !== 'object' || value === null) return value
  return 'base64' in value ? Buffer.from(value.base64, 'base64') : value.map(toParameter)
}

/**
 * The rows of a query. There are none if several statements were sent as one string, as at the start of a transaction,
 * because `pg` then returns several results.
 */
export function rowsOfResult<Row extends object>(result: { rows: Row[] } | readonly unknown[]): Row[] {
  return 'rows' in result ? result.rows : []
}
