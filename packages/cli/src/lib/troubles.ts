import type { Trouble } from '@callboard/core'

/** The words for what is wrong with a subscription. */
export const TROUBLES: Readonly<Record<Trouble, string>> = {
  disabled: 'disabled',
  paused: 'paused',
  failing: 'failing',
  behind: 'behind',
  slow: 'slow target',
  heldBack: 'held back',
}
