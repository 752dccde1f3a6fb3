import type { JsonSchema } from './json-schema.ts'

type Schema = JsonSchema | boolean | undefined

/**
 * Makes optional what dot-separated paths lead to in a JSON Schema, in place: personal data may be missing from an event,
 * whatever its type's schema asks of what is published. A step goes into each item of an array, into each branch of a
 * choice, and through references.
 */
export function makeOptional(root: JsonSchema, paths: readonly string[]): void {
  for (const path of paths) relax(root, path.split('.'), root, new Set())
}

function relax(schema: Schema, steps: readonly string[], root: JsonSchema, seen: ReadonlySet<string>): void {
  if (typeof schema !== 'object') return
  const [step = '', ...rest] = steps
  const { $ref } = schema
  if ($ref !== undefined && !seen.has($ref)) relax(target($ref, root), steps, root, new Set([...seen, $ref]))
  // A branch that was made looser may fit where another does: one of them, and no more, is asking too much.
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
