export { createMemoryRateLimiter } from './lib/memory-rate-limiter.ts'
export { createMemoryStore, type MemoryStoreOptions } from './lib/memory-store.ts'
