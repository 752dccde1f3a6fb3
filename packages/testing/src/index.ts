export { type CheckCatalogOptions, checkCatalog } from './lib/check-catalog.ts'
