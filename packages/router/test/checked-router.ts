import type { Catalog } from '@callboard/core'
import type { AnyCallboard } from '@callboard/core/engine'
import { createRouter as createRealRouter, type Router, type RouterOptions } from '../src/index.ts'
import { type Conformance, createConformance } from './conformance.ts'

/**
 * The `createRouter` that vitest.config.ts substitutes for the real one in tests. Its routers check each response
 * against their own OpenAPI document for the format version of the response, and fail the test if the two differ.
 */
export function createRouter(callboard: AnyCallboard, options: RouterOptions = {}): Router {
  const router = createRealRouter(callboard, options)
  const { basePath = '', openapi: { path = '/openapi.json' } = {} } = options
  const conformance = async (version: string): Promise<Conformance> => {
    const key = `${basePath} ${version}`
    const known = checks.get(callboard.catalog)?.get(key)
    if (known !== undefined) return known
    const made = createConformance(await router.openapi(version), basePath)
    checks.set(callboard.catalog, (checks.get(callboard.catalog) ?? new Map()).set(key, made))
    return made
  }
  return {
    ...router,
    async fetch(request) {
      const response = await router.fetch(request)
      // The document does not describe the endpoint that serves it, so responses from that endpoint are not checked.
      if (new URL(request.url).pathname === `${basePath}${path}`) return response
      const version = response.headers.get('callboard-version') ?? callboard.catalog.version
      await (await conformance(version))(request, response)
      return response
    },
  }
}

/** The compiled checks by catalogue, base path and version. They are cached, because every test creates a router. */
const checks = new WeakMap<Catalog, Map<string, Conformance>>()
