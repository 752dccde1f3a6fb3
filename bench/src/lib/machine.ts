import { availableParallelism, cpus, type as system, totalmem } from 'node:os'

/** The runtime and machine behind the figures of a run. */
export function machine(): string {
  const model = cpus()[0]?.model ?? 'unknown'
  return `Node ${process.versions.node}, ${system()}, ${availableParallelism()} × ${model}, ${Math.round(totalmem() / 2 ** 30)} GiB`
}
