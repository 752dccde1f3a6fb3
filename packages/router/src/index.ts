export type { OpenApiOptions } from './lib/openapi/openapi.ts'
export type {
  OpenApiDocument,
  OpenApiInfo,
  OpenApiServer,
} from './lib/openapi/openapi-document.ts'
export { createRouter, type Router, type RouterOptions } from './lib/router.ts'
