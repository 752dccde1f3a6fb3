import type { JsonSchema } from './json-schema.ts'

type Schema = JsonSchema | boolean | undefined

/**
 * Makes the properties at the given dot-separated paths optional in a JSON Schema, because a receiver may get an event
 * without its personal data. Each step of a path applies to every item of an array and to every branch of a union, and
 * follows references.
 */
export function makeOptional(root: JsonSchema, paths: readonly string[]): void {
  for (const path of paths) relax(root, path.split('.'), root, new Set())
}

function relax(schema: Schema, steps: readonly string[], root: JsonSchema, seen: ReadonlySet<string>): void {
  if (typeof schema !== 'object') return
  const [step = '', ...rest] = steps
  const { $ref } = schema
  if ($ref !== undefined && !seen.has($ref)) relax(target($ref, root), steps, root, new Set([...seen, $ref]))
  // With fewer required properties, data can match several branches. `oneOf` would refuse such data, but `anyOf`
  // accepts it.
  if (schema.oneOf !== undefined) {
    schema.anyOf = schema.oneOf
    delete schema.oneOf
  }
  for (const branch of [...(schema.anyOf ?? []), ...(schema.allOf ?? [])]) relax(branch, steps, root, seen)
  for (const items of [schema.items, ...(schema.prefixItems ?? [])].flat()) relax(items, steps, root, seen)
  const property = schema.properties?.[step]
  if (rest.length > 0) {
    for (const inner of [property, schema.additionalProperties]) relax(inner, rest, root, new Set())
    return
  }
  if (schema.required === undefined) return
  schema.required = schema.required.filter((name) => name !== step)
  if (schema.required.length === 0) delete schema.required
}

function target(ref: string, root: JsonSchema): Schema {
  return ref === '#' ? root : root.$defs?.[ref.slice('#/$defs/'.length)]
}
