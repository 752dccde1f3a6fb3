import type { Store } from '@callboard/core/store'

export interface SpaceCheck {
  /** Records that the store could not be reached, or did not store something. */
  suspect(): void
  /** Why nothing can be written although the store answers; undefined if it can, or if that is not known. */
  problem(): string | undefined
  /** Asks the store whether its disk is full, if that is suspected or was so the last time. Never rejects. */
  checkSpace(): Promise<void>
}

/**
 * Finds out whether the store's disk is full. On a full disk, the worker's own calls often succeed, because they change
 * rows in place, while nothing can be published. The store is not asked without a suspicion, because the answer costs
 * it a temporary file.
 */
export function createSpaceCheck(
  { survey }: Pick<Store<unknown>, 'survey'>,
  onError: (error: unknown) => void,
): SpaceCheck {
  let suspected = false
  let problem: string | undefined
  return {
    suspect() {
      suspected = true
    },
    problem: () => problem,
    async checkSpace() {
      if (!suspected && problem === undefined) return
      suspected = false
      try {
        const { findings } = await survey(0)
        problem = findings.find(({ check, verdict }) => check === 'space' && verdict === 'problem')?.message
      } catch (error) {
        suspected = true
        onError(error)
      }
    },
  }
}
