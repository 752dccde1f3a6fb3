import { inSchema } from './schema-name.ts'
import type { Statement } from './statement.ts'

/** A statement compiled for one schema. */
export interface CompiledStatement {
  /** The SQL with `$1`, `$2`, … in place of the names. */
  readonly text: string
  /** The names, in the order of `$1`, `$2`, …. */
  readonly parameters: readonly string[]
  /** Returns the values in the order of `$1`, `$2`, …. */
  values(parameters: object): unknown[]
}

// Matches a named parameter, but not the colons of a cast, a time or a slice.
const PARAMETER = /(?<![:\w]):([a-z]\w*)(?:\.(\w+))?/gi

const compiled = new WeakMap<object, Map<string, CompiledStatement>>()

/** Compiles a statement once for each schema. */
export function compile<Parameters extends object>(
  statement: Statement<unknown, Parameters>,
  schema: string,
): CompiledStatement {
  const known = compiled.get(statement) ?? new Map<string, CompiledStatement>()
  compiled.set(statement, known)
  const result = known.get(schema) ?? compileFor(statement, schema)
  known.set(schema, result)
  return result
}

function compileFor({ name, text }: Statement<unknown, object>, schema: string): CompiledStatement {
  const slots = new Map<string, (parameters: object) => unknown>()
  const numbered = inSchema(text, schema).replace(PARAMETER, (slot, parameter: string, column?: string) => {
    if (!slots.has(slot)) slots.set(slot, (parameters) => read(parameters, parameter, column))
    return `$${[...slots.keys()].indexOf(slot) + 1}`
  })
  const readers = [...slots]
  const values = (parameters: object): unknown[] =>
    readers.map(([slot, reader]) => {
      const value = reader(parameters)
      if (value === undefined) throw new Error(`statement ${name} has no value for ${slot}`)
      return value
    })
  return { text: numbered, parameters: [...slots.keys()], values }
}

function read(parameters: object, parameter: string, column: string | undefined): unknown {
  const value = entryOf(parameters, parameter)
  return column === undefined ? value : columnOf(value, column)
}

/**
 * If the parameter is a list, returns one array with this column of every row. If the column itself holds lists, they
 * are joined into one flat array.
 */
function columnOf(value: unknown, column: string): unknown {
  if (!Array.isArray(value)) return entryOf(value, column)
  const values = value.map((row) => entryOf(row, column))
  return values.includes(undefined) ? undefined : values.flat()
}

function entryOf(object: unknown, name: string): unknown {
  return typeof object === 'object' && object !== null && name in object
    ? object[name as keyof typeof object]
    : undefined
}
