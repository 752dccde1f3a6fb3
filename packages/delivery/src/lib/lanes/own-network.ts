import type { TransportOutcome } from '../http/transport.ts'
import type { Obstacle } from './postponed-lanes.ts'

/** For how long no host may have answered, in milliseconds, and how many hosts must have been tried in that time. */
const SILENT_MS = 10_000
const HOSTS = 3

/** Judges whether an attempt failed because of this process, its machine or its network. */
export interface OwnNetwork {
  /** Returns the obstacle, or undefined if the attempt counts. Must be called with the outcome of every attempt. */
  judge(host: string, outcome: TransportOutcome): Obstacle | undefined
}

/**
 * One host that is silent may be down. If no host has answered for ten seconds and at least three were silent, this
 * worker's own network is down. A refused connection or certificate counts as an answer.
 */
export function createOwnNetwork(elapsed: () => number): OwnNetwork {
  /** When each host was last silent, since a host last answered. */
  const silent = new Map<string, number>()
  let heardAt = Number.NEGATIVE_INFINITY

  const isDown = (): boolean => {
    const since = elapsed() - SILENT_MS
    for (const [host, at] of silent) if (at < since) silent.delete(host)
    return heardAt <= since && silent.size >= HOSTS
  }

  return {
    judge(host, outcome) {
      const { cause, reason } = outcome.kind === 'failed' ? outcome : { cause: undefined, reason: undefined }
      if (cause === 'resolver') return { cause: 'network', name: '' }
      if (cause === 'resources' || cause === 'proxy') return { cause, name: '' }
      if (reason === 'aborted' || reason === 'blocked') return undefined
      if (cause === 'silence') silent.set(host, elapsed())
      else if (reason !== 'timeout') {
        heardAt = elapsed()
        silent.clear()
        return undefined
      }
      return isDown() ? { cause: 'network', name: '' } : undefined
    },
  }
}
