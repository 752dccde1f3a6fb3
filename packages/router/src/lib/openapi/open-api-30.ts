import type { HeaderObject, OpenApiDocument, OperationObject, PathItem, Reference } from './openapi-document.ts'

/** An object of the document or of a JSON Schema. */
type Node = { readonly [key: string]: unknown }

/**
 * Returns an OpenAPI document in the form of version 3.0.3, for generators that cannot read 3.1. It has no `webhooks`,
 * because 3.0 has none, but it still has the schema of each event type. What 3.0 cannot express is left out, so its
 * schemas accept more.
 */
export function openApi30({ webhooks: _, ...document }: OpenApiDocument): Node {
  const { info, paths, components } = document
  const { license, ...described } = info
  const { identifier: __, ...shown } = license ?? {}
  const { schemas, refs } = hoisted(components.schemas)
  const inParts = (value: unknown): unknown => parts(value, refs)
  return {
    ...document,
    openapi: '3.0.3',
    info: { ...described, ...(license === undefined ? {} : { license: shown }) },
    paths: mapped(paths, (item: PathItem) => mapped(item, (operation) => inParts(withoutRoles(operation)))),
    components: {
      ...components,
      headers: mapped(components.headers, (header: HeaderObject | Reference) => inParts(header)),
      responses: mapped(components.responses, inParts),
      schemas: mapped(schemas, (schema) => schema30(schema, refs)),
    },
  }
}

/** In 3.0, only OAuth schemes have roles. */
function withoutRoles(operation: OperationObject): OperationObject {
  return { ...operation, security: operation.security.map((each) => mapped(each, () => [])) }
}

/** Converts every `schema` in a part of the document, except within examples. */
function parts(value: unknown, refs: Refs): unknown {
  if (Array.isArray(value)) return value.map((each) => parts(each, refs))
  if (!isNode(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      if (key === 'schema') return [key, schema30(inner, refs)]
      return [key, key === 'example' || key === 'examples' ? inner : parts(inner, refs)]
    }),
  )
}

/** New references, by the former one. */
type Refs = ReadonlyMap<string, string>

/** Moves each schema in a `$defs` to the components, because 3.0 has no `$defs`. */
function hoisted(components: Node): { readonly schemas: Node; readonly refs: Refs } {
  const schemas: Record<string, unknown> = { ...components }
  const refs = new Map<string, string>()
  const search = (value: unknown, pointer: string, name: string): void => {
    if (typeof value !== 'object' || value === null) return
    for (const [key, inner] of Object.entries(value)) {
      if (key === '$defs' && isNode(inner))
        for (const [id, schema] of Object.entries(inner)) {
          let found = `${name}${id.replace(/\W/g, '')}`
          while (Object.hasOwn(schemas, found)) found += '_'
          schemas[found] = schema
          refs.set(`${pointer}/$defs/${id}`, `#/components/schemas/${found}`)
        }
      search(inner, `${pointer}/${key}`, name)
    }
  }
  for (const [name, schema] of Object.entries(components)) search(schema, `#/components/schemas/${name}`, name)
  return { schemas, refs }
}

/** The keywords that have the same meaning and form in 3.0. */
const SAME = [
  ...['title', 'description', 'default', 'format', 'enum', 'required', 'deprecated', 'readOnly', 'writeOnly'],
  ...['minimum', 'maximum', 'multipleOf', 'minLength', 'maxLength', 'pattern', 'minItems', 'maxItems', 'uniqueItems'],
  ...['minProperties', 'maxProperties'],
]

/** The schema that only null matches. In 3.0, `nullable` has no effect without a type. */
const NULL = { type: 'string', enum: [null], nullable: true }

function schema30(schema: unknown, refs: Refs): Node {
  if (schema === false) return { not: {} }
  if (!isNode(schema)) return {}
  if (isNull(schema)) return { ...keywords(schema, refs), ...NULL }
  const types = [schema['type'] ?? []].flat()
  const [type, ...more] = types.filter((name) => name !== 'null')
  const own = { ...(more.length === 0 ? typed(type) : {}), ...keywords(schema, refs) }
  let nullable = types.includes('null')

  /** Schemas that must match as well. */
  const all = list(schema['allOf']).map((each) => schema30(each, refs))
  for (const key of ['anyOf', 'oneOf']) {
    const branches = list(schema[key])
    const others = branches.filter((branch) => !isNull(branch)).map((each) => schema30(each, refs))
    if (others.length < branches.length) nullable = true
    if (others.length === 1) all.push(...others)
    else if (others.length > 1) own[key] = others
  }
  if (more.length > 0) all.push({ anyOf: [type, ...more].map(typed) })
  const { $ref } = schema
  if (typeof $ref === 'string') all.push({ $ref: refs.get($ref) ?? $ref })
  return nullable ? withNull(merged(own, all)) : merged(own, all)
}

/** 3.0 requires the items of an array. */
function typed(type: unknown): Node {
  if (type === undefined) return {}
  return type === 'array' ? { type, items: {} } : { type }
}

/** Returns the keywords of a schema that describe neither its type nor a choice. */
function keywords(schema: Node, refs: Refs): Record<string, unknown> {
  const { additionalProperties, examples, items, not, prefixItems, properties } = schema
  const each = (value: unknown): Node => schema30(value, refs)
  const made: Record<string, unknown> = {}
  for (const key of SAME) if (schema[key] !== undefined) made[key] = schema[key]
  const [example] = list(examples)
  if (example !== undefined) made['example'] = example
  if ('const' in schema) made['enum'] = [schema['const']]
  const { exclusiveMinimum, exclusiveMaximum } = schema
  if (exclusiveMinimum !== undefined) Object.assign(made, { minimum: exclusiveMinimum, exclusiveMinimum: true })
  if (exclusiveMaximum !== undefined) Object.assign(made, { maximum: exclusiveMaximum, exclusiveMaximum: true })
  if (isNode(properties)) made['properties'] = mapped(properties, each)
  if (additionalProperties !== undefined)
    made['additionalProperties'] = additionalProperties === false ? false : each(additionalProperties)
  if (not !== undefined) made['not'] = each(not)
  // 3.0 cannot describe the items of a tuple one by one.
  if (Array.isArray(prefixItems)) made['items'] = { anyOf: [...prefixItems, ...[items ?? []].flat()].map(each) }
  else if (items !== undefined) made['items'] = each(items)
  return made
}

/** Adds schemas that must match as well. A `$ref` stays alone, because 3.0 ignores its siblings. */
function merged(own: Node, all: readonly Node[]): Node {
  const [first] = all
  if (first === undefined) return own
  const keys = Object.keys(own)
  const fits = all.length === 1 && keys.every((key) => !(key in first)) && (keys.length === 0 || !('$ref' in first))
  return fits ? { ...first, ...own } : { ...own, allOf: all }
}

function withNull(schema: Node): Node {
  if ('$ref' in schema) return { allOf: [schema], nullable: true }
  for (const key of ['anyOf', 'oneOf'])
    if (!('type' in schema) && key in schema) return { ...schema, [key]: [...list(schema[key]), NULL] }
  return { ...schema, nullable: true }
}

function isNull(schema: unknown): boolean {
  return isNode(schema) && (schema['type'] === 'null' || schema['const'] === null)
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function mapped<Value, Made>(
  values: Readonly<Record<string, Value>>,
  make: (value: Value) => Made,
): Record<string, Made> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, make(value)]))
}
