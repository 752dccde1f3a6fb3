import { availableParallelism, cpus, type as system, totalmem } from 'node:os'

/** What the figures of a run were taken on. */
export function machine(): string {
  const model = cpus()[0]?.model ?? 'unknown'
  return `Node ${process.versions.node}, ${system()}, ${availableParallelism()} × ${model}, ${Math.round(totalmem() / 2 ** 30)} GiB`
}
