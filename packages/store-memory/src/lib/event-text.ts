import type { EventText } from '@callboard/core/store'
import type { EventState } from './memory-state.ts'

/** The event's text, with its patch only if personal data is asked for. */
export function textOf({ stored, content }: EventState, personalData: boolean): EventText {
  const { body, patch, fingerprint } = content
  return { id: stored.id, type: stored.type, body, patch: personalData ? patch : null, fingerprint }
}
