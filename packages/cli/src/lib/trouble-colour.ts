import type { Finding } from '@callboard/core/store'

/** The colours that commands use. */
export type Colour = 'red' | 'yellow' | 'green' | 'gray'

/** The colour of a finding. */
export const VERDICT_COLOURS: Readonly<Record<Finding['verdict'], Colour>> = {
  ok: 'green',
  warning: 'yellow',
  problem: 'red',
  skipped: 'gray',
}

/** The fields that only a subscription in trouble has. Whatever they say is a trouble. */
const FIELDS: ReadonlyMap<string, Colour> = new Map([
  ['failing since', 'red'],
  ['paused until', 'yellow'],
  ['held back', 'yellow'],
])

/** The columns and fields whose text is Callboard's own word for a state. Other texts are from strangers. */
const STATES = new Set(['state', 'outcome', 'trouble'])

const RED = /\b(?:disabled|exhausted|gone|expired|revoked|failed|failing)\b/
const YELLOW = /\b(?:retrying|paused|behind|slow target|held back)\b/

/** The colour of a cell that names a trouble; undefined for all other cells. */
export function troubleColour(title: string, text: string): Colour | undefined {
  if (!STATES.has(title)) return text === '-' ? undefined : FIELDS.get(title)
  if (RED.test(text)) return 'red'
  return YELLOW.test(text) ? 'yellow' : undefined
}
