import { getHeapStatistics } from 'node:v8'

/** The memory of a process, in megabytes. */
export interface Memory {
  /** The resident set in MB, as the operating system reports it. */
  readonly resident: number
  /** How many MB of the heap and of external buffers are in use after garbage collection. */
  readonly inUse: number
}

export function memory(): Memory {
  const resident = process.memoryUsage.rss()
  globalThis.gc?.()
  const { used_heap_size, external_memory } = getHeapStatistics()
  return { resident: resident / 1e6, inUse: (used_heap_size + external_memory) / 1e6 }
}
