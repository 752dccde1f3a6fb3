/** Something that must be reached, with what was measured in each round; the median of the rounds is what counts. */
export interface Goal {
  readonly what: string
  readonly atLeast?: number | undefined
  readonly atMost?: number | undefined
  readonly rounds: readonly number[]
  /** Where the guard in CI fails: about half of what is usual, twice for an `atMost`. It asks nothing of a goal without. */
  readonly guard?: number | undefined
}

/** A table of figures, as it stands in RESULTS.md. */
export interface Table {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

export interface Measured {
  readonly tables: readonly Table[]
  readonly goals: readonly Goal[]
  /** What a reader has to know to believe the figures: how it was measured, what limits it, the profile behind a goal that is missed. */
  readonly notes: readonly string[]
}

export interface MeasureOptions {
  /** Whether shorter rounds will do, as for the guard in CI, whose margins are wide. */
  readonly quick: boolean
}

/** One row of the comparison. It runs in a process of its own, started with `--expose-gc`. */
export interface Section {
  readonly title: string
  /** Measures everything anew: starts what it needs, alternates the contenders, and stops what it started. */
  measure(options: MeasureOptions): Promise<Measured>
}
