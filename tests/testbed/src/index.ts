export { type DebianPostgres, startDebianPostgres } from './lib/debian-postgres.ts'
export { type FaultProxy, type ProxySide, startFaultProxy } from './lib/fault-proxy.ts'
export { freePort } from './lib/free-port.ts'
export { type HandshakeGate, startHandshakeGate } from './lib/handshake-gate.ts'
export {
  type OwnPostgres,
  type OwnPostgresOptions,
  type ReplicablePostgres,
  startOwnPostgres,
} from './lib/own-postgres.ts'
export { type PgBouncer, startPgBouncer } from './lib/pg-bouncer.ts'
export { type PostgresCluster, startPostgresCluster } from './lib/postgres-cluster.ts'
export { type Prometheus, runPromtool, startPrometheus } from './lib/prometheus.ts'
export {
  type LoggedRequest,
  type PlainAnswer,
  type ReceiverProcess,
  startReceiverProcess,
} from './lib/receiver-process.ts'
export { makeCertificate } from './lib/test-certificate.ts'
export { type DnsAnswer, startDns, type TestDns } from './lib/test-dns.ts'
export { startPostgres, type TestPostgres } from './lib/test-postgres.ts'
export { type ProxyBehaviour, startProxy, type TestProxy } from './lib/test-proxy.ts'
export {
  type Answer,
  type AnswerWithStatus,
  type Received,
  type ReceiverOptions,
  startReceiver,
  type TestReceiver,
} from './lib/test-receiver.ts'
