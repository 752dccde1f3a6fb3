import type { JsonSchema } from './json-schema.ts'

/** An OpenAPI 3.1 document, limited to the parts that Callboard uses. */
export interface OpenApiDocument {
  readonly openapi: '3.1.0'
  readonly info: OpenApiInfo
  readonly servers: readonly OpenApiServer[]
  readonly security: readonly SecurityRequirement[]
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Readonly<Record<string, PathItem>>
  readonly webhooks: Readonly<Record<string, PathItem>>
  readonly components: {
    readonly securitySchemes: Readonly<Record<string, object>>
    readonly headers: Readonly<Record<string, HeaderObject>>
    readonly responses: Readonly<Record<string, ResponseObject>>
    readonly schemas: Readonly<Record<string, JsonSchema>>
  }
}

/** Title, description and publisher of the document. */
export interface OpenApiInfo {
  readonly title: string
  /** Markdown. */
  readonly description: string
  readonly version: string
  readonly termsOfService?: string | undefined
  readonly contact?:
    | { readonly name?: string | undefined; readonly url?: string | undefined; readonly email?: string | undefined }
    | undefined
  readonly license?:
    | { readonly name: string; readonly identifier?: string | undefined; readonly url?: string | undefined }
    | undefined
}

export interface OpenApiServer {
  /** Either absolute, or relative to the address of the document. */
  readonly url: string
  readonly description?: string | undefined
}

export type PathItem = Readonly<Partial<Record<'get' | 'post' | 'patch' | 'delete', OperationObject>>>

export interface OperationObject {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly tags: readonly string[]
  readonly security: readonly SecurityRequirement[]
  readonly parameters?: readonly ParameterObject[] | undefined
  readonly requestBody?: (BodyObject & { readonly required: true }) | undefined
  readonly responses: Readonly<Record<string, ResponseObject | Reference>>
}

export interface ParameterObject {
  readonly name: string
  readonly in: 'query' | 'path' | 'header'
  readonly description: string | undefined
  readonly required: boolean
  readonly schema: JsonSchema
  readonly example?: unknown
}

export interface ResponseObject extends Partial<BodyObject> {
  readonly description: string
  readonly headers?: Readonly<Record<string, HeaderObject | Reference>> | undefined
}

export interface HeaderObject {
  readonly description: string
  readonly required: boolean
  readonly schema: JsonSchema
  readonly example: string | number | undefined
}

/** A JSON body with examples. */
export interface BodyObject {
  readonly content: {
    readonly 'application/json': {
      readonly schema: JsonSchema | Reference
      readonly examples: Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>
    }
    readonly 'text/event-stream'?: { readonly schema: JsonSchema; readonly example: string } | undefined
  }
}

export interface Reference {
  readonly $ref: string
}

type SecurityRequirement = Readonly<Record<string, readonly string[]>>
