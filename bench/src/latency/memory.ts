import { getHeapStatistics } from 'node:v8'

/** What a process holds in memory, in megabytes. */
export interface Memory {
  /** All of it, as the system counts it. */
  readonly resident: number
  /** What is in use, in its heap and in buffers beside it, once garbage has been collected. */
  readonly inUse: number
}

export function memory(): Memory {
  const resident = process.memoryUsage.rss()
  globalThis.gc?.()
  const { used_heap_size, external_memory } = getHeapStatistics()
  return { resident: resident / 1e6, inUse: (used_heap_size + external_memory) / 1e6 }
}
