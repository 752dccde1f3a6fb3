/** A goal and its measurement in each round. The median of the rounds decides whether the goal is met. */
export interface Goal {
  readonly what: string
  readonly atLeast?: number | undefined
  readonly atMost?: number | undefined
  readonly rounds: readonly number[]
  /**
   * The limit at which CI fails: about half the usual value or, with `atMost`, about twice the usual value. CI ignores
   * goals without a guard.
   */
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
  /** The facts behind the figures: how they were measured, what limits them, and why a goal was missed. */
  readonly notes: readonly string[]
}

export interface MeasureOptions {
  /** Whether to run shorter rounds. Their figures vary more, but CI compares them only with wide limits. */
  readonly quick: boolean
}

/** One comparison. It runs in a process of its own, started with `--expose-gc`. */
export interface Section {
  readonly title: string
  /** Starts all that the section needs, runs the contenders in turn, and stops all that it started. */
  measure(options: MeasureOptions): Promise<Measured>
}
