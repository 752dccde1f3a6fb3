/** A measurement in each round. The median of the rounds counts. */
export interface Figure {
  readonly what: string
  readonly rounds: readonly number[]
}

/** What Callboard promises of a figure. */
export interface Goal extends Figure {
  readonly atLeast?: number | undefined
  readonly atMost?: number | undefined
  /**
   * The limit at which CI fails: about half the usual value or, with `atMost`, about twice the usual value. CI ignores
   * goals without a guard.
   */
  readonly guard?: number | undefined
}

export interface Table {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

export interface Measured {
  /** For RESULTS.md: the figures that a user wants to know as they are, not in relation to others. */
  readonly figures: readonly Figure[]
  /** For RESULTS.md. */
  readonly goals: readonly Goal[]
  /** Details for the console. */
  readonly tables: readonly Table[]
  /** For RESULTS.md: in a few sentences, what is compared, and how. */
  readonly method: string
  /** For RESULTS.md: why goals are missed; unknown by default. It is left out if all goals are met. */
  readonly missed?: string | undefined
}

export interface MeasureOptions {
  /** Whether to run shorter rounds. Their figures vary more, but CI compares them only with wide limits. */
  readonly quick: boolean
}

/** One comparison. It runs in a process of its own. */
export interface Section {
  readonly title: string
  /** Starts all that the section needs, runs the contenders in turn, and stops all that it started. */
  measure(options: MeasureOptions): Promise<Measured>
}

export interface Report extends Measured {
  readonly title: string
}
