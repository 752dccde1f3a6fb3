import { availableParallelism, cpus } from 'node:os'

/** The runtime and the machine on which a run measured its figures. */
export function machine(): string {
  const model = cpus()[0]?.model ?? 'unknown'
  return `Node ${process.versions.node}, ${availableParallelism()} × ${model}`
}
