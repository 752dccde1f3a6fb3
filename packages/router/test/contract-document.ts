import { type Catalog, createCallboard } from '@callboard/core'
import { createMemoryStore } from '@callboard/store-memory'
import { createRouter, type OpenApiDocument } from '../src/index.ts'
import { contractCatalog } from './contract-catalog.ts'

/**
 * Creates the document in `openapi.json`, for a platform with the contract's event types and a router without options.
 */
export function contractDocument(): Promise<OpenApiDocument> {
  return documentOf(contractCatalog)
}

/** Creates the document of a platform with this catalogue and a router without options. */
export function documentOf(catalog: Catalog): Promise<OpenApiDocument> {
  const callboard = createCallboard({
    catalog,
    store: createMemoryStore(),
    secretKeys: { current: 'k1', keys: { k1: new Uint8Array(32).fill(7) } },
  })
  return createRouter(callboard).openapi()
}
