import type { CatalogVersion } from '@callboard/core'
import { type AnyCallboard, engineOf } from '@callboard/core/engine'
import { type Route, routes } from '../routes.ts'
import { schemas as responseSchemas } from '../schemas/schemas.ts'
import { createExamples, type ProblemExample } from './examples.ts'
import { headers, responseHeaders } from './headers.ts'
import { inputSchemas } from './input-schemas.ts'
import { componentSchemas } from './json-schema.ts'
import type { OpenApiDocument, OpenApiInfo, OpenApiServer, OperationObject, PathItem } from './openapi-document.ts'
import { describeOperations } from './operations/operations.ts'
import { versionParameter } from './operations/parameters.ts'
import { type Operation, type SectionContext, TAGS } from './operations/section.ts'
import { problemRefs, problemResponses } from './problems.ts'
import { createWebhooks } from './webhooks.ts'

export interface DocumentOptions {
  readonly basePath: string
  readonly info?: Partial<OpenApiInfo> | undefined
  readonly servers?: readonly OpenApiServer[] | undefined
  /** The format version that the document describes. */
  readonly version: CatalogVersion
}

/** Creates a platform's OpenAPI document: the operations of the API, and a webhook for each event type of a version. */
export function createDocument(
  callboard: AnyCallboard,
  { basePath, info, servers, version }: DocumentOptions,
): OpenApiDocument {
  const integrations = callboard.integrations.map(({ name }) => name)
  const { formats, headerNames } = engineOf(callboard)
  const versions = formats.servedVersions().map((each) => each.version)
  const examples = createExamples(callboard, version, basePath)
  const eventTypes = version.types.map(({ name }) => name)
  const described = describeOperations({ examples, eventTypes, versions, testHeader: headerNames.test })

  const paths: Record<string, PathItem> = {}
  for (const route of routes) {
    const { method, operation, path } = route
    const key = path.replace(/:(\w+)/g, '{$1}')
    const description = described[operation]
    if (description === undefined) throw new Error(`the operation ${operation} has no description`)
    paths[key] = { ...paths[key], [method.toLowerCase()]: operationObject(route, description, { examples, versions }) }
  }
  const schemas = componentSchemas(responseSchemas)
  const { webhooks, schemas: events } = createWebhooks(version, schemas['Event'] ?? {}, examples)
  return {
    openapi: '3.1.0',
    info: { title: 'Events and webhooks', description: DESCRIPTION, version: 'v1', license: LICENSE, ...info },
    // The default URL is only a path, because only the platform knows the API's public address.
    servers: servers ?? [{ url: basePath === '' ? '/' : basePath }],
    security: [{ apiKey: [] }],
    tags: TAGS,
    paths,
    webhooks,
    components: {
      securitySchemes: { apiKey: { type: 'http', scheme: 'bearer', description: 'An API key of the account.' } },
      headers,
      responses: problemResponses(examples, paths),
      schemas: {
        ...schemas,
        ...inputSchemas({ eventTypes, integrations, versions }),
        ...events,
      },
    },
  }
}

/** Who may use the API is up to the platform, which can name its own licence with `openapi.info`. */
const LICENSE = { name: 'Proprietary' }

const DESCRIPTION = `Read the platform's events, or have them sent to your own HTTPS address.

Send an API key with every request: \`Authorization: Bearer <API_KEY>\`. Each operation names the scope that the key needs.
Requests and responses are JSON, and times are ISO 8601 in UTC. Ignore unknown fields, because new ones may be added.

Events have a format version, a date. A key gets the version that it was issued for, and a request can ask for another one with \`Callboard-Version\`.
All errors have the same body. A method that a path does not support returns 405, with the supported methods in \`Allow\`.
\`HEAD\` works wherever \`GET\` does.`

function operationObject(
  { operation: operationId, scope }: Route,
  { description, parameters = [], problems = [], requestBody, success, summary, tag }: Operation,
  { examples, versions }: Pick<SectionContext, 'examples' | 'versions'>,
): OperationObject {
  const failures = [...problems, ...EVERYWHERE, ...(requestBody === undefined ? WITHOUT_BODY : WITH_BODY)]
  if (scope !== undefined) failures.push('INSUFFICIENT_SCOPE')
  return {
    operationId,
    summary,
    description: scope === undefined ? description : `${description}\n\nRequires the scope \`${scope}\`.`,
    tags: [tag],
    // In OpenAPI 3.1, a security requirement can list roles even if its scheme is not OAuth. Here, the only role is the
    // required scope.
    security: [{ apiKey: scope === undefined ? [] : [scope] }],
    parameters: [...parameters, versionParameter(versions)],
    ...(requestBody === undefined ? {} : { requestBody: { required: true, ...requestBody } }),
    responses: {
      ...Object.fromEntries(
        Object.entries(success).map(([status, response]) => [
          status,
          { ...response, headers: { ...responseHeaders('always'), ...response.headers } },
        ]),
      ),
      ...problemRefs(failures, examples),
    },
  }
}

const EVERYWHERE: readonly ProblemExample[] = ['UNAUTHENTICATED', 'RATE_LIMITED', 'INTERNAL', 'UNAVAILABLE']
const WITHOUT_BODY: readonly ProblemExample[] = ['INVALID_QUERY']
const WITH_BODY: readonly ProblemExample[] = ['INVALID_BODY', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE']
