export type { NodeRequest } from './lib/mount/node-request.ts'
export { type NodeHandler, type NodeResponse, toNodeHandler } from './lib/mount/to-node-handler.ts'
