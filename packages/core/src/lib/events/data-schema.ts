import * as z from 'zod'
import type { Issue } from '../validation/issue.ts'

/** The schema of an event type's `data`, whose output is a JSON object. */
export type DataSchema = z.ZodType<object>

/**
 * Returns the reasons why a schema cannot describe event data, each with the path of the field inside `data`. Data must
 * be stored and shown as it was published, so a schema may fill in defaults but must not alter anything else. Its
 * output must also be representable in JSON.
 *
 * This check cannot detect a `refine` function that alters data, or invalid values that `z.any()` and `z.unknown()` let
 * through.
 */
export function dataSchemaIssues(schema: z.ZodType): Issue[] {
  const issues = new Map<string, Issue>()
  const add = (path: string, message: string): void => {
    // Keeps only the last issue of each path. A transform and the pipe around it have the same path. The pipe comes
    // last, and its issue says more.
    issues.set(path, { path, code: 'INVALID', message })
  }
  try {
    // `toJSONSchema` visits every node of the schema. A visitor of our own would have to follow every release of zod.
    // `data-schema.test.ts` checks that zod leaves out no node.
    const described = z.toJSONSchema(schema, {
      unrepresentable({ zodSchema, path }) {
        const { type } = zodSchema._zod.def
        if (alteration(zodSchema) === undefined) add(dataPath(path), `JSON cannot represent z.${type}()`)
        return 'any'
      },
      override({ zodSchema, path }) {
        const found = alteration(zodSchema)
        if (found !== undefined)
          add(dataPath(path), `${found} would alter published data; publish values exactly as they should be stored`)
        const key = zodSchema._zod.def.type === 'record' ? alteration(zodSchema._zod.def.keyType) : undefined
        if (key !== undefined) add(dataPath([...path, 'propertyNames']), `${key} would alter published keys`)
      },
    })
    if (issues.size === 0 && (schema._zod.optout === 'optional' || !describesObject(described, described)))
      add('', 'data must be a JSON object')
  } catch (error) {
    add('', error instanceof Error ? error.message : 'the schema cannot be converted to JSON Schema')
  }
  return [...issues.values()]
}

/**
 * The name of the zod feature with which a node of a schema alters its input; undefined when the node alters nothing.
 */
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
  // The depth is limited, because a schema that only refers to itself would recurse forever.
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

/**
 * Converts the path of a node in a JSON Schema to the path of the data that the node describes. `*` stands for any key;
 * array elements add no step.
 */
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
