import { createHttpsTransport } from '@callboard/delivery'

/** Allows sinks on this machine as targets. */
export const BENCH_TARGETS = { allowedCidrs: ['127.0.0.0/8'], allowedPorts: 'any' } as const

/** Callboard's own transport to sinks with the certificate `ca`, whose hosts all lead to this machine. */
export function createBenchTransport(ca: string): ReturnType<typeof createHttpsTransport> {
  return createHttpsTransport({
    addressPolicy: BENCH_TARGETS,
    extraCaCertificates: [ca],
    resolve: async () => ['127.0.0.1'],
  })
}
