import { createInterface } from 'node:readline/promises'
import { CommandError, wrongUsage } from './command-error.ts'

/**
 * Asks a person to confirm something, such as what cannot be undone.
 *
 * @throws CommandError if the answer is not yes, or if there is no terminal to ask on.
 */
export async function confirm(
  question: string,
  input: NodeJS.ReadableStream & { readonly isTTY?: boolean | undefined },
  output: NodeJS.WritableStream,
): Promise<void> {
  if (input.isTTY !== true)
    throw wrongUsage('This cannot be undone, and there is no terminal to confirm it on: add --yes.')
  const prompt = createInterface({ input, output })
  const answer = await prompt.question(`${question} [y/N] `)
  prompt.close()
  if (!/^y(?:es)?$/i.test(answer.trim())) throw new CommandError('Nothing was done.')
}
