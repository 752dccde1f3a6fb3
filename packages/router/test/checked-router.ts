import type { Catalog } from '@callboard/core'
import type { AnyCallboard } from '@callboard/core/engine'
import { createRouter as createRealRouter, type Router, type RouterOptions } from '../src/index.ts'
import { type Conformance, createConformance } from './conformance.ts'

/**
 * `createRouter` as tests have it (vitest.config.ts puts it in the place of `@callboard/router`): each response is held to
 * the router's own OpenAPI document, and one that it does not describe fails the test that asked.
 */
export function createRouter(callboard: AnyCallboard, options: RouterOptions = {}): Router {
  const router = createRealRouter(callboard, options)
  const { basePath = '', openapi: { path = '/openapi.json' } = {} } = options
  const conformance = async (): Promise<Conformance> => {
    const known = checks.get(callboard.catalog)?.get(basePath)
    if (known !== undefined) return known
    const made = createConformance(await router.openapi(), basePath)
    checks.set(callboard.catalog, (checks.get(callboard.catalog) ?? new Map()).set(basePath, made))
    return made
  }
  return {
    ...router,
    async fetch(request) {
      const response = await router.fetch(request)
      // The document is no part of the API that it describes.
      if (new URL(request.url).pathname !== `${basePath}${path}`) await (await conformance())(request, response)
      return response
    },
  }
}

/** Compiled once for all routers of a catalogue: tests make one a test. */
const checks = new WeakMap<Catalog, Map<string, Conformance>>()
