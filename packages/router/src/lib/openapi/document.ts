import type { Scope } from '@callboard/core'
import { type AnyCallboard, apiSubscriptionInput } from '@callboard/core/engine'
import { routes } from '../routes.ts'
import {
  account,
  envelope,
  eventList,
  eventType,
  eventTypeList,
  keyInformation,
  problemBody,
  subscriptionBody,
} from '../schemas.ts'
import { createExamples, type ProblemExample } from './examples.ts'
import { headers, responseHeaders } from './headers.ts'
import { componentSchemas, type JsonSchema, jsonSchemaOf } from './json-schema.ts'
import type { OpenApiDocument, OpenApiInfo, OpenApiServer, OperationObject, PathItem } from './openapi-document.ts'
import { type Described, describeOperations, TAGS } from './operations.ts'
import { problemRefs, problemResponses } from './problems.ts'
import { createWebhooks } from './webhooks.ts'

export interface DocumentOptions {
  readonly basePath: string
  readonly info?: Partial<OpenApiInfo> | undefined
  readonly servers?: readonly OpenApiServer[] | undefined
}

/** Describes the API of a platform: its five operations and, as webhooks, its event types. */
export function createDocument(callboard: AnyCallboard, { basePath, info, servers }: DocumentOptions): OpenApiDocument {
  const { catalog, integrations } = callboard
  const examples = createExamples(callboard, basePath)
  const eventTypes = catalog.types.map(({ name }) => name)
  const described = describeOperations(examples, eventTypes)

  const paths: Record<string, PathItem> = {}
  for (const { method, operation, path, scope } of routes) {
    const key = path.replace(/:(\w+)/g, '{$1}')
    paths[key] = { ...paths[key], [method.toLowerCase()]: operationObject(operation, scope, described[operation]) }
  }
  const schemas = componentSchemas(SCHEMAS)
  const { webhooks, schemas: events } = createWebhooks(catalog, schemas['Event'] ?? {}, examples)
  return {
    openapi: '3.1.0',
    info: { title: 'Events and webhooks', description: DESCRIPTION, version: 'v1', ...info },
    // Beside the document, where it is mounted; an absolute address is for the platform to say.
    servers: servers ?? [{ url: basePath === '' ? '/' : basePath }],
    security: [{ apiKey: [] }],
    tags: TAGS,
    paths,
    webhooks,
    components: {
      securitySchemes: { apiKey: { type: 'http', scheme: 'bearer', description: 'An API key of the account.' } },
      headers,
      responses: problemResponses(examples),
      schemas: {
        ...schemas,
        WebhookSubscriptionInput: inputSchema(
          eventTypes,
          integrations.map(({ name }) => name),
        ),
        ...events,
      },
    },
  }
}

const SCHEMAS = {
  KeyInformation: keyInformation,
  Account: account,
  EventTypeList: eventTypeList,
  EventType: eventType,
  EventList: eventList,
  Event: envelope,
  WebhookSubscription: subscriptionBody,
  Problem: problemBody,
}

const DESCRIPTION = `Read what happened on the platform, or have it sent to an address of your own.

Send an API key with every request: \`Authorization: Bearer <API_KEY>\`. Each operation says which scope the key needs. Requests
and responses are JSON; times are ISO 8601 in UTC. Ignore fields that you do not know: more may be added.

Every error has the same body. Where a path exists and the method is another one, the answer is a 405 that names those there are
in \`Allow\`; \`HEAD\` answers as \`GET\` without a body.`

function operationObject(
  operationId: string,
  scope: Scope | undefined,
  { description, parameters, problems, requestBody, success, summary, tag }: Described,
): OperationObject {
  const failures: ProblemExample[] = [...problems, ...EVERYWHERE]
  if (scope !== undefined) failures.push('INSUFFICIENT_SCOPE')
  return {
    operationId,
    summary,
    description: scope === undefined ? description : `${description}\n\nNeeds the scope \`${scope}\`.`,
    tags: [tag],
    // OpenAPI 3.1: of a scheme that is not OAuth, the list names the roles that are needed.
    security: [{ apiKey: scope === undefined ? [] : [scope] }],
    ...(parameters === undefined ? {} : { parameters }),
    ...(requestBody === undefined ? {} : { requestBody: { required: true, ...requestBody } }),
    responses: {
      ...Object.fromEntries(
        Object.entries(success).map(([status, response]) => [
          status,
          { ...response, headers: responseHeaders('told') },
        ]),
      ),
      ...problemRefs(failures),
    },
  }
}

const EVERYWHERE: readonly ProblemExample[] = ['UNAUTHENTICATED', 'RATE_LIMITED', 'INTERNAL', 'UNAVAILABLE']

/** Unlike a subscription that was created earlier, a new one can have none but the names there are now. */
function inputSchema(eventTypes: readonly string[], integrations: readonly string[]): JsonSchema {
  const schema = jsonSchemaOf(apiSubscriptionInput, 'input')
  const { properties = {} } = schema
  const named = (name: string, changes: object) => ({ [name]: { ...Object(properties[name]), ...changes } })
  return {
    ...schema,
    description: 'What to send where.',
    properties: {
      ...properties,
      ...(eventTypes.length === 0 ? {} : named('eventTypes', { items: { type: 'string', enum: eventTypes } })),
      ...named('integration', { enum: integrations }),
    },
  }
}
