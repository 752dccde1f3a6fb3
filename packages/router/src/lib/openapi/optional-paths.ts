import type { JsonSchema } from './json-schema.ts'

type Schema = JsonSchema | boolean | undefined

/**
 * Makes the properties at dot-separated paths of a JSON Schema optional, in place. An event may lack personal data even
 * if its type's schema requires it for publishing. A step applies to each item of an array and each branch of a choice,
 * and follows references.
 */
export function makeOptional(root: JsonSchema, paths: readonly string[]): void {
  for (const path of paths) relax(root, path.split('.'), root, new Set())
}

function relax(schema: Schema, steps: readonly string[], root: JsonSchema, seen: ReadonlySet<string>): void {
  if (typeof schema !== 'object') return
  const [step = '', ...rest] = steps
  const { $ref } = schema
  if ($ref !== undefined && !seen.has($ref)) relax(target($ref, root), steps, root, new Set([...seen, $ref]))
  // Once a branch is looser, data may match several branches, so `oneOf` would refuse it.
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
