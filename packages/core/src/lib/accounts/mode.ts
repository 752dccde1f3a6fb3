/**
 * Every key, event and subscription belongs to exactly one mode. A key sees nothing of the other mode, and events are
 * never delivered to subscriptions of the other mode.
 */
export type Mode = 'live' | 'test'

export const MODES: readonly Mode[] = ['live', 'test']
