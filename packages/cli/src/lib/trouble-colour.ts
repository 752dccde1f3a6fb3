/** The columns and fields whose text is Callboard's own word for a state. Other texts are from strangers. */
const STATES = new Set(['state', 'outcome', 'trouble'])

const RED = /\b(?:disabled|exhausted|gone|expired|revoked|failed|failing)\b/
const YELLOW = /\b(?:retrying|paused|behind|slow target|held back)\b/

/** The colour of a cell that names a trouble; undefined for all other cells. */
export function troubleColour(title: string, text: string): 'red' | 'yellow' | undefined {
  if (!STATES.has(title)) return undefined
  if (RED.test(text)) return 'red'
  return YELLOW.test(text) ? 'yellow' : undefined
}
