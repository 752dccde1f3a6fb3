export type { Resolve, ResolveContext } from './lib/http/dns-resolver.ts'
export type { EgressProxy } from './lib/http/egress-proxy.ts'
export { createHttpsTransport, type HttpsTransportOptions } from './lib/http/https-transport.ts'
export { type ProvePinningOptions, provePinning } from './lib/http/pinning-canary.ts'
export type {
  Transport,
  TransportFailure,
  TransportFailureCause,
  TransportFailureReason,
  TransportOutcome,
  TransportRequest,
  TransportResponse,
} from './lib/http/transport.ts'
export { DEFAULT_RETRY_SCHEDULE } from './lib/lanes/retry-policy.ts'
export { createTestSender, type TestSender, type TestSenderOptions } from './lib/test-events/test-sender.ts'
export type { RunOptions } from './lib/worker/run-options.ts'
export { type RunReport, runUntilIdle } from './lib/worker/run-until-idle.ts'
export { startWorker, type Worker, type WorkerHealth } from './lib/worker/worker.ts'
export type { WorkerOptions } from './lib/worker/worker-options.ts'
