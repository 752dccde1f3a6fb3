export type { RouterCallboard } from './lib/handlers/handler.ts'
export { createRouter, type Router, type RouterOptions } from './lib/router.ts'
