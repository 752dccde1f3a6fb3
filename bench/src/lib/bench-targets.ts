/** Allows sinks on this machine as targets. */
export const BENCH_TARGETS = { allowedCidrs: ['127.0.0.0/8'], allowedPorts: 'any' } as const
