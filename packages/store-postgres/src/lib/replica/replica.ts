import { CallboardError } from '@callboard/core'
import type { ReplicaGauges } from '@callboard/core/store'
import type { Runner } from '../database/database.ts'
import { isConflict } from '../database/failures.ts'
import type { PageReader } from '../reading/page-reader.ts'
import type { Statement } from '../sql/statement.ts'
import { onReplica, type WalPosition } from './replica-statements.ts'
import { type ReplicationState, replicationStateOf } from './replication-state.ts'
import { createWalPositions } from './wal-positions.ts'

export interface Replica extends PageReader {
  readonly maxLagMs: number
  /** Compares the replica with the primary. Never throws. */
  readState(): Promise<ReplicationState>
  /** Like {@link Replica.readState}, but returns the gauges. */
  gauges(): Promise<ReplicaGauges>
  /**
   * Checks that the option `reader` leads to a replica of the same database. Once the replica has answered, further
   * calls do nothing.
   *
   * @throws CallboardError `CONFIGURATION_INVALID` if `reader` leads to another database.
   */
  checkReplica(): Promise<void>
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
  const positions = createWalPositions(primary, maxLagMs, elapsed)
  let pausedUntil: number | undefined
  let isChecked = false

  const pause = (): void => {
    pausedUntil = elapsed() + PAUSE_MS
  }
  /** The position that the replica must have replayed; undefined if the replica must not be asked now. */
  const usablePosition = (): WalPosition | undefined => {
    // Positions are read during a pause as well. Otherwise all of them would be too young when the pause ends.
    const position = positions.oldest()
    return pausedUntil === undefined || elapsed() >= pausedUntil ? position : undefined
  }

  /** Returns no rows if the replica cannot answer. */
  const read = async <Row, Parameters extends object>(
    statement: Statement<Row, Parameters>,
    parameters: Parameters,
    position: WalPosition,
  ): Promise<Row[]> => {
    const isTrial = pausedUntil !== undefined
    // While this read tries the replica, all other reads stay on the primary.
    if (isTrial) pause()
    try {
      const rows = await reader.run(onReplica(statement), { ...parameters, primary: position })
      if (rows.length === 0) pause()
      else if (isTrial) pausedUntil = undefined
      return rows
    } catch (error) {
      // A conflict with recovery ends only one statement, so it is no reason to pause.
      if (!(error instanceof Error && isConflict(error.cause))) pause()
      return []
    }
  }

  const readState = (): Promise<ReplicationState> => replicationStateOf(reader, positions.read())

  return {
    maxLagMs,
    usesReplica: () => usablePosition() !== undefined,
    async run(statement, parameters) {
      const position = usablePosition()
      const rows = position === undefined ? [] : await read(statement, parameters, position)
      return rows.length > 0 ? rows : primary.run(statement, parameters)
    },
    readState,
    async gauges() {
      const state = await readState()
      const lagMs = state.kind === 'replica' ? state.lagMs : undefined
      return { lagMs, usable: state.kind === 'primary' || (lagMs !== undefined && lagMs <= maxLagMs) }
    },
    async checkReplica() {
      if (isChecked) return
      const { kind } = await readState()
      if (kind === 'other_database')
        throw new CallboardError(
          'CONFIGURATION_INVALID',
          'The option reader leads to another database than pool. It must lead to a replica of that database.',
        )
      isChecked = kind !== 'failed'
    },
  }
}
