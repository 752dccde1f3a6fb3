/** Every key, event and subscription belongs to exactly one mode, and nothing crosses from one mode to the other. */
export type Mode = 'live' | 'test'

export const MODES: readonly Mode[] = ['live', 'test']
