import type { ProblemTexts } from './texts/english/problems.ts'

/** A posted form that could not be read, or that does not come from a page of the dashboard. */
export class UnreadableFormError extends Error {
  /** The name of the text that says why. */
  readonly text: keyof ProblemTexts & ('unreadableForm' | 'formTooLarge' | 'formIncomplete')

  constructor(text: UnreadableFormError['text']) {
    super(`the form was refused: ${text}`)
    this.text = text
  }
}
