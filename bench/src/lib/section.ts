/** A goal, with the measurement of each round; the median of the rounds decides. */
export interface Goal {
  readonly what: string
  readonly atLeast?: number | undefined
  readonly atMost?: number | undefined
  readonly rounds: readonly number[]
  /** The limit at which CI fails: about half the usual value, or twice for an `atMost`. CI ignores goals without it. */
  readonly guard?: number | undefined
}

/** A table of figures for RESULTS.md. */
export interface Table {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

export interface Measured {
  readonly tables: readonly Table[]
  readonly goals: readonly Goal[]
  /** The facts behind the figures: how they were measured, what limits them, and the profile behind a missed goal. */
  readonly notes: readonly string[]
}

export interface MeasureOptions {
  /** Whether shorter rounds suffice, as they do for CI, whose margins are wide. */
  readonly quick: boolean
}

/** One comparison. It runs in a process of its own, started with `--expose-gc`. */
export interface Section {
  readonly title: string
  /** Starts what it needs, alternates the contenders, and stops what it started. */
  measure(options: MeasureOptions): Promise<Measured>
}
