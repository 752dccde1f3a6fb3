import type { Pool } from 'pg'

/** One delivery, as each rival queues it. It includes the URL and the secret, so no rival has to look them up. */
export interface RivalJob {
  readonly id: string
  readonly url: string
  readonly secret: string
  readonly body: string
}

/** How many jobs a rival runs at a time. Of 10, 50, 100 and 200, both rivals are fastest with this number. */
export const CONCURRENCY = 100

/**
 * A job queue that people use instead of Callboard, with the settings that its documentation or our trials showed to be
 * the best.
 */
export interface Rival {
  /** Drops everything that the rival has stored, and queues these jobs in the fastest way that it offers. */
  fill(pool: Pool, postgresUrl: string, jobs: readonly RivalJob[]): Promise<void>
  /** Runs queued jobs until the process exits. */
  work(postgresUrl: string, deliver: (job: RivalJob) => Promise<void>): Promise<void>
}
