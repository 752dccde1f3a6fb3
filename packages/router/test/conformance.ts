import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { jsonContent } from '../src/lib/openapi/json-content.ts'
import type {
  HeaderObject,
  OpenApiDocument,
  PathItem,
  Reference,
  ResponseObject,
} from '../src/lib/openapi/openapi-document.ts'

/**
 * Throws if a response differs from the document: if a status, header or property is undocumented or missing, or if a
 * value has the wrong type.
 */
export type Conformance = (request: Request, response: Response) => Promise<void>

/** Creates the check of a router's responses against its document. `basePath` is where the router is mounted. */
export function createConformance(document: OpenApiDocument, basePath: string): Conformance {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats.default(ajv)
  ajv.addSchema(Object(closed(document)), 'document')
  const compiled = new Map<object, ValidateFunction>()
  const validator = (schema: object): ValidateFunction => {
    // Makes references point into ajv's copy of the document, which forbids additional properties.
    const text = JSON.stringify(schema).replaceAll('"#/', '"document#/')
    const validate = compiled.get(schema) ?? ajv.compile(Object(JSON.parse(text)))
    compiled.set(schema, validate)
    return validate
  }
  const judge = (what: string, schema: object, value: unknown): void => {
    const validate = validator(schema)
    if (!validate(value)) throw new Error(`${what} is not as documented: ${ajv.errorsText(validate.errors)}`)
  }
  const paths = Object.entries(document.paths).map(([path, item]) => ({
    pattern: new RegExp(`^${(basePath + path).replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`),
    item,
  }))

  return async (request, response) => {
    const { pathname } = new URL(request.url)
    const item = paths.find(({ pattern }) => pattern.test(pathname))?.item
    const what = `${request.method} ${pathname}: ${response.status}`
    const expected = expectedResponse(document, request.method, item, response.status)
    if (expected === undefined) throw new Error(`${what} is not documented`)

    const headers = new Map(Object.entries(expected.headers ?? {}).map(([name, each]) => [name.toLowerCase(), each]))
    for (const [name, reference] of headers) {
      const { required, schema } = '$ref' in reference ? headerOf(document, reference) : reference
      const value = response.headers.get(name)
      if (value === null && required) throw new Error(`${what} lacks the header ${name}`)
      if (value !== null) judge(`${what}, ${name}`, schema, schema.type === 'integer' ? Number(value) : value)
    }
    for (const [name] of response.headers) {
      // OpenAPI describes the content type under `content`, and has no place for the content length.
      if (!headers.has(name) && !['content-type', 'content-length'].includes(name))
        throw new Error(`${what} has the undocumented header ${name}`)
    }

    const type = response.headers.get('content-type')
    // Reading a stream would open it a second time, and it may not end.
    if (type === 'text/event-stream' && expected.content?.[type] !== undefined) return
    const text = await response.clone().text()
    const body = expected.content?.['application/json']
    if ((body === undefined ? null : 'application/json') !== type)
      throw new Error(`${what} has the content type ${type}`)
    if (request.method === 'HEAD' || body === undefined) {
      if (text !== '') throw new Error(`${what} has a body`)
      return
    }
    const value: unknown = JSON.parse(text)
    judge(what, body.schema, value)
    judgeEvents(document, response, value, (schema, event) => judge(`${what}, an event`, schema, event))
  }
}

const METHODS: Readonly<Record<string, keyof PathItem>> = {
  GET: 'get',
  HEAD: 'get',
  POST: 'post',
  PATCH: 'patch',
  DELETE: 'delete',
}

/**
 * Returns the documented response. The document does not describe the responses to unknown paths and methods, so this
 * function defines them.
 */
function expectedResponse(
  document: OpenApiDocument,
  method: string,
  item: PathItem | undefined,
  status: number,
): ResponseObject | undefined {
  const key = METHODS[method]
  const operation = key === undefined ? undefined : item?.[key]
  const found = operation?.responses[status]
  if (operation !== undefined)
    return found !== undefined && '$ref' in found ? document.components.responses[nameIn(found)] : found
  const { 'X-Request-Id': id, 'Cache-Control': cache } = document.components.headers
  if (id === undefined || cache === undefined) throw new Error('the document lacks the headers of every response')
  const headers = { 'X-Request-Id': id, 'Cache-Control': cache }
  const problem = jsonContent('Problem', {})
  if (item === undefined) return status === 404 ? { description: 'no such path', headers, ...problem } : undefined
  const methods = Object.keys(item).map((name) => name.toUpperCase())
  const allow = [...methods.flatMap((name) => (name === 'GET' ? ['GET', 'HEAD'] : [name])), 'OPTIONS'].join(', ')
  const known = { description: 'no such method', headers: { ...headers, Allow: exactly(allow) } }
  if (method === 'OPTIONS') return status === 204 ? known : undefined
  return status === 405 ? { ...known, ...problem } : undefined
}

/** Checks each event of a page against the schema of its type's webhook. Skips events of other format versions. */
function judgeEvents(
  document: OpenApiDocument,
  { headers }: Response,
  body: unknown,
  judge: (schema: object, event: unknown) => void,
): void {
  const { data } = Object(body)
  for (const event of Array.isArray(data) ? data : []) {
    const schema = document.webhooks[event.type]?.post?.requestBody?.content['application/json'].schema
    if (schema !== undefined && event.version === headers.get('callboard-version')) judge(schema, event)
  }
}

function headerOf(document: OpenApiDocument, reference: Reference): HeaderObject {
  const header = document.components.headers[nameIn(reference)]
  if (header === undefined) throw new Error(`the document lacks ${reference.$ref}`)
  return header
}

function nameIn({ $ref }: Reference): string {
  return $ref.slice($ref.lastIndexOf('/') + 1)
}

function exactly(value: string): HeaderObject {
  return { description: '', required: true, schema: { type: 'string', const: value }, example: value }
}

/**
 * Forbids additional properties in every schema. Callers must tolerate undocumented properties, but our own responses
 * must not have any.
 */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed)
  if (typeof value !== 'object' || value === null) return value
  const copy = Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, closed(inner)]))
  return 'properties' in copy && !('additionalProperties' in copy) ? { ...copy, additionalProperties: false } : copy
}
