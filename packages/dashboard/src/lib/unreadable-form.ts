import type { ProblemTexts } from './texts/english/problems.ts'

/** A posted form that could not be read, or that no page of the dashboard sends. */
export class UnreadableFormError extends Error {
  /** The name of the text that says why the form was refused. */
  readonly text: keyof ProblemTexts & ('unreadableForm' | 'formTooLarge' | 'formIncomplete')

  constructor(text: UnreadableFormError['text']) {
    super(`the form was refused: ${text}`)
    this.text = text
  }
}
