/** A key, an event and a subscription each belong to one mode; nothing crosses (decisions, “Keys”: Mode). */
export type Mode = 'live' | 'test'

export const MODES: readonly Mode[] = ['live', 'test']
