/** What messages for code and for callers of the API advise, and the commands that do the same. */
const COMMANDS: readonly (readonly [advice: string, command: string])[] = [
  ['GET /v1/event-types lists the valid ones.', '`callboard catalog list` lists the valid ones.'],
  ['with accounts.create first, or publish with accountName.', 'with `callboard accounts create` first.'],
]

/** Names commands in a message of Callboard, because a person at a terminal has neither its code nor an API key. */
export function inTerminalTerms(message: string): string {
  return COMMANDS.reduce((text, [advice, command]) => text.replace(advice, command), message)
}
