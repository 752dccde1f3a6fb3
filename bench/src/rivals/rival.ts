/** One delivery, as each rival queues it. It includes the URL and the secret, so no rival has to look them up. */
export interface RivalJob {
  readonly id: string
  readonly url: string
  readonly secret: string
  readonly body: string
}

/** The servers that hold a rival's jobs and the log of attempts. */
export interface RivalServers {
  readonly postgres: string
}

export interface RivalPace {
  /** Concurrent jobs. */
  readonly concurrency: number
  /** Whether to favour latency over throughput. */
  readonly soon: boolean
}

/** The interface for adding jobs to a rival, from any process. */
export interface RivalQueue {
  /** Adds jobs in the fastest way that the rival offers. */
  add(jobs: readonly RivalJob[]): Promise<void>
  /**
   * Gathers Postgres's statistics if the jobs are in Postgres, then closes. In production, autovacuum would have
   * gathered them by the time so many jobs are queued.
   */
  close(): Promise<void>
}

/**
 * A job queue that people use instead of Callboard, with the settings that its documentation or our trials showed to be
 * the best.
 */
export interface Rival {
  /** Drops everything that the rival has stored and creates empty tables. */
  prepare(servers: RivalServers): Promise<void>
  openQueue(servers: RivalServers): Promise<RivalQueue>
  /** Runs queued jobs until the process exits. */
  work(servers: RivalServers, pace: RivalPace, deliver: (job: RivalJob) => Promise<void>): Promise<void>
}
