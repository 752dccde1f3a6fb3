import type { Examples, ProblemExample } from '../examples.ts'
import type { BodyObject, ParameterObject, ResponseObject } from '../openapi-document.ts'

/** The document's description of an operation, apart from its method, path, scope and tag. */
export interface Described {
  readonly summary: string
  readonly description: string
  /** None by default, apart from `Callboard-Version`, which every operation takes. */
  readonly parameters?: readonly ParameterObject[] | undefined
  readonly requestBody?: BodyObject | undefined
  /** The successful responses, by status, with the headers that other responses lack. */
  readonly success: Readonly<Record<number, ResponseObject>>
  /** The error responses of this operation, apart from the common ones, such as 401 and 500; none by default. */
  readonly problems?: readonly ProblemExample[] | undefined
}

export type Tag = (typeof TAGS)[number]['name']

export interface Operation extends Described {
  readonly tag: Tag
}

/** The sections of the document, in order. */
export const TAGS = [
  { name: 'Key', description: 'The account and scopes of an API key.' },
  { name: 'Events', description: 'The event types of the platform, and recent events.' },
  { name: 'Webhook subscriptions', description: 'Have events sent to your own HTTPS address.' },
  {
    name: 'Deliveries',
    description: 'The signed POST request that a subscription receives for each event, and what came back.',
  },
] as const

/** What the descriptions of operations are made of. */
export interface SectionContext {
  readonly examples: Examples
  readonly eventTypes: readonly string[]
  /** The format versions that are served. */
  readonly versions: readonly string[]
  /** The name of the header that marks a test event. */
  readonly testHeader: string
}

/** Describes the operations of a section, by their names in the document and therefore in generated clients. */
export type Section = (context: SectionContext) => Readonly<Record<string, Described>>
