export type { Resolve, ResolveContext } from './lib/dns-resolver.ts'
export type { EgressProxy } from './lib/egress-proxy.ts'
export { createHttpsTransport, type HttpsTransportOptions } from './lib/https-transport.ts'
export { type ProvePinningOptions, provePinning } from './lib/pinning-canary.ts'
export { createTestSender, type TestSender, type TestSenderOptions } from './lib/test-sender.ts'
export type {
  Transport,
  TransportFailure,
  TransportFailureReason,
  TransportOutcome,
  TransportRequest,
  TransportResponse,
} from './lib/transport.ts'
export { startWorker, type Worker, type WorkerHealth } from './lib/worker.ts'
export type { WorkerOptions } from './lib/worker-options.ts'
