/** Code in one language. */
export interface Snippet {
  /** The display name of the language. */
  readonly name: string
  readonly code: string
}
