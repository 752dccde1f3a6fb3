export type { NodeRequest } from './lib/mount/node-request.ts'
export type { NodeResponse } from './lib/mount/node-response.ts'
export { type NodeHandler, toNodeHandler } from './lib/mount/to-node-handler.ts'
