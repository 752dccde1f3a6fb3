/** One delivery, as each rival queues it. Address and secret come with it: no lookup is asked of a rival. */
export interface RivalJob {
  readonly id: string
  readonly url: string
  readonly secret: string
  readonly body: string
}

/** Where a rival keeps its jobs, and where the attempts are written down. */
export interface RivalServers {
  readonly postgres: string
  /** The path of its socket; for BullMQ alone. */
  readonly redis?: string | undefined
}

export interface RivalPace {
  /** How many jobs run at one time. */
  readonly concurrency: number
  /** Whether a few jobs should start soon, instead of very many be done in a second. */
  readonly soon: boolean
}

/** Where jobs are added, from whatever process. */
export interface RivalQueue {
  /** The fastest way that it offers. */
  add(jobs: readonly RivalJob[]): Promise<void>
  /** Gathers statistics too, as autovacuum would have by the time that many jobs wait. */
  close(): Promise<void>
}

/** A job queue that people use instead, at the settings that its documentation and our tries found best. */
export interface Rival {
  /** Makes its tables anew, empty. */
  prepare(servers: RivalServers): Promise<void>
  openQueue(servers: RivalServers): Promise<RivalQueue>
  /** Runs what is queued, until the process ends. */
  work(servers: RivalServers, pace: RivalPace, deliver: (job: RivalJob) => Promise<void>): Promise<void>
}
