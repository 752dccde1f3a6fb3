/** Event types, and the positions in the feed to which they apply: after `after`, up to and including `through`. */
export interface Selection {
  readonly types: readonly string[]
  readonly after: number
  readonly through: number
}

/**
 * The events that a subscription selects from the feed:
 *
 * - the current selection, which has no end;
 * - the previous selection, which applied until the event types last changed;
 * - all event types of the selections before that. Which of them applied to an event is not known any more, so a
 *   delivery there counts only if it has a record.
 */
export type Selections = readonly [current: Selection, previous: Selection, earlier: Selection]

/** The selections of a subscription whose event types have never changed. */
export function selectionsOf(types: readonly string[]): Selections {
  const none: Selection = { types: [], after: 0, through: 0 }
  return [{ types, after: 0, through: Number.POSITIVE_INFINITY }, none, none]
}

/**
 * The selections after the event types change at `position`, the last position in the feed: the old types apply up to
 * it, the new types after it. No pending delivery needs an update, because positions alone decide. Only a lane that has
 * passed the last change may change again.
 */
export function changeSelections(
  [current, previous, earlier]: Selections,
  types: readonly string[],
  position: number,
): Selections {
  return [
    { types, after: position, through: Number.POSITIVE_INFINITY },
    { ...current, through: position },
    { types: [...new Set([...earlier.types, ...previous.types])], after: 0, through: current.after },
  ]
}

/** Whether an event is selected. An event without a position counts as later than every event that has one. */
export function isSelected(selections: Selections, type: string, position: number = Number.POSITIVE_INFINITY): boolean {
  return selections.some(({ types, after, through }) => types.includes(type) && position > after && position <= through)
}
