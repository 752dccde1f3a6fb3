import { CallboardError } from '@callboard/core'
import type { ReplicaGauges } from '@callboard/core/store'
import type { Runner } from '../database/database.ts'
import { isConflict } from '../database/failures.ts'
import type { PageReader } from '../reading/page-reader.ts'
import type { Statement } from '../sql/statement.ts'
import { createPrimaryMarks } from './primary-marks.ts'
import { type ReplicaStanding, standingOfReplica } from './replica-standing.ts'
import { onReplica, type PrimaryMark } from './replica-statements.ts'

export interface Replica extends PageReader {
  readonly maxLagMs: number
  /** Compares the replica with the primary. Never throws. */
  look(): Promise<ReplicaStanding>
  /** Like {@link Replica.look}, but returns the gauges. */
  gauges(): Promise<ReplicaGauges>
  /**
   * Checks that the option `reader` leads to a replica of the same database. Once the replica has answered, further
   * calls do nothing.
   *
   * @throws CallboardError `CONFIGURATION_INVALID` if `reader` leads to another database.
   */
  check(): Promise<void>
}

/**
 * After a replica has failed or fallen behind, the primary reads all pages for this long. Then one read tries the
 * replica again.
 */
const PAUSE_MS = 5_000

/**
 * Reads pages from a replica. They show everything that was committed at least `maxLagMs` before the call. If the
 * replica is further behind or cannot answer, the primary answers.
 */
export function createReplica(primary: Runner, reader: Runner, maxLagMs: number): Replica {
  const elapsed = (): number => performance.now()
  const marks = createPrimaryMarks(primary, maxLagMs, elapsed)
  let pausedUntil: number | undefined
  let isChecked = false

  const pause = (): void => {
    pausedUntil = elapsed() + PAUSE_MS
  }
  /** The mark that the replica must have replayed; undefined if the replica must not be asked now. */
  const usableMark = (): PrimaryMark | undefined => {
    // Marks are taken during a pause as well. Otherwise all marks would be too young when the pause ends.
    const mark = marks.oldest()
    return pausedUntil === undefined || elapsed() >= pausedUntil ? mark : undefined
  }

  /** Returns no rows if the replica cannot answer. */
  const read = async <Row, Parameters extends object>(
    statement: Statement<Row, Parameters>,
    parameters: Parameters,
    primaryMark: PrimaryMark,
  ): Promise<Row[]> => {
    const isTrial = pausedUntil !== undefined
    // While this read tries the replica, all other reads stay on the primary.
    if (isTrial) pause()
    try {
      const rows = await reader.run(onReplica(statement), { ...parameters, primary: primaryMark })
      if (rows.length === 0) pause()
      else if (isTrial) pausedUntil = undefined
      return rows
    } catch (error) {
      // A conflict with recovery ends only one statement, so it is no reason to pause.
      if (!(error instanceof Error && isConflict(error.cause))) pause()
      return []
    }
  }

  const look = (): Promise<ReplicaStanding> => standingOfReplica(reader, marks.take())

  return {
    maxLagMs,
    usesReplica: () => usableMark() !== undefined,
    async run(statement, parameters) {
      const mark = usableMark()
      const rows = mark === undefined ? [] : await read(statement, parameters, mark)
      return rows.length > 0 ? rows : primary.run(statement, parameters)
    },
    look,
    async gauges() {
      const standing = await look()
      const lagMs = standing.kind === 'replica' ? standing.lagMs : undefined
      return { lagMs, usable: standing.kind === 'primary' || (lagMs !== undefined && lagMs <= maxLagMs) }
    },
    async check() {
      if (isChecked) return
      const { kind } = await look()
      if (kind === 'other_database')
        throw new CallboardError(
          'CONFIGURATION_INVALID',
          'The option reader leads to another database than pool. It must lead to a replica of that database.',
        )
      isChecked = kind !== 'failed'
    },
  }
}
