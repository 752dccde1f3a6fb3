export type { RouterCallboard } from './lib/handlers/handler.ts'
export type { OpenApiOptions } from './lib/openapi/openapi.ts'
export type {
  OpenApiDocument,
  OpenApiInfo,
  OpenApiServer,
} from './lib/openapi/openapi-document.ts'
export { createRouter, type Router, type RouterOptions } from './lib/router.ts'
export type {
  Envelope,
  EventList,
  EventTypeList,
  KeyInformation,
  ProblemBody,
  SubscriptionBody,
} from './lib/schemas.ts'
