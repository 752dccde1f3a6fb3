import * as z from 'zod'
import type { Issue } from '../issue.ts'

/** The schema of an event type's `data`: its output is a JSON object. */
export type DataSchema = z.ZodType<object>

/**
 * What keeps a schema from being one of event data, each with the path inside `data`: what is published must be what
 * is stored and shown, so nothing may change it on the way (defaults excepted), and JSON must have a form for it.
 *
 * Not seen: what hides in a function (`refine` that alters its object) and what `z.any()` or `z.unknown()` let through.
 */
export function dataSchemaIssues(schema: z.ZodType): Issue[] {
  const issues = new Map<string, Issue>()
  const add = (path: string, message: string): void => {
    // One a path: a pipe says more than the transform inside it, and is visited after it.
    issues.set(path, { path, code: 'INVALID', message })
  }
  try {
    // Visits every node, so that no walker of ours has to follow zod's releases; `data-schema.test.ts` pins that it does.
    const described = z.toJSONSchema(schema, {
      unrepresentable({ zodSchema, path }) {
        const { type } = zodSchema._zod.def
        if (alteration(zodSchema) === undefined) add(dataPath(path), `JSON has no form for z.${type}()`)
        return 'any'
      },
      override({ zodSchema, path }) {
        const found = alteration(zodSchema)
        if (found !== undefined)
          add(dataPath(path), `${found} changes or hides what is published; publish the value as it is to be stored`)
        const key = zodSchema._zod.def.type === 'record' ? alteration(zodSchema._zod.def.keyType) : undefined
        if (key !== undefined) add(dataPath([...path, 'propertyNames']), `${key} changes what is published`)
      },
    })
    if (issues.size === 0 && (schema._zod.optout === 'optional' || !describesObject(described, described)))
      add('', 'data must be a JSON object')
  } catch (error) {
    add('', error instanceof Error ? error.message : 'the schema has no JSON Schema')
  }
  return [...issues.values()]
}

/** By what a node of a schema changes its input, in words a reader of zod knows. */
function alteration(schema: z.core.$ZodType): string | undefined {
  const def: z.core.$ZodTypeDef & { readonly coerce?: unknown } = schema._zod.def
  if (def.coerce === true) return 'z.coerce'
  for (const check of [schema, ...(def.checks ?? [])]) {
    const checkDef: object = check._zod.def
    if ('check' in checkDef && checkDef.check === 'overwrite') return 'an overwriting check (trim, toLowerCase …)'
    if ('normalize' in checkDef && checkDef.normalize === true) return 'a normalizing z.url()'
  }
  switch (def.type) {
    case 'pipe':
      return 'a pipe (transform, codec, preprocess, pipe)'
    case 'transform':
    case 'catch':
    case 'success':
    case 'promise':
    case 'file':
      return `z.${def.type}()`
    default:
      return undefined
  }
}

type Described = z.core.JSONSchema.BaseSchema | boolean | undefined

function describesObject(schema: Described, root: z.core.JSONSchema.BaseSchema, depth = 0): boolean {
  // A reference that leads round in a circle describes nothing.
  if (typeof schema !== 'object' || depth > 20) return false
  const { type, anyOf, oneOf, allOf, $ref } = schema
  if (type === 'object') return true
  if ($ref !== undefined)
    return describesObject($ref === '#' ? root : root.$defs?.[$ref.slice('#/$defs/'.length)], root, depth + 1)
  const options = anyOf ?? oneOf
  if (options !== undefined)
    return options.length > 0 && options.every((option) => describesObject(option, root, depth + 1))
  return allOf?.some((part) => describesObject(part, root, depth + 1)) ?? false
}

/** A path through a JSON Schema as the path of the data that it describes; `*` is any key, elements have no step. */
function dataPath(path: readonly (string | number)[]): string {
  const steps: (string | number)[] = []
  for (let index = 0; index < path.length; index++) {
    switch (path[index]) {
      case 'properties':
        steps.push(path[++index] ?? '')
        break
      case 'additionalProperties':
      case 'patternProperties':
      case 'propertyNames':
        steps.push('*')
        break
      default:
        break
    }
  }
  return steps.join('.')
}
