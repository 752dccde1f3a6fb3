/** A number to show in a text: its value, and its written form and plural form in the dashboard's language. */
export interface Count {
  readonly value: number
  /** The number as it is shown, such as “1,200”. */
  readonly text: string
  /** The plural form in the dashboard's language, as `Intl.PluralRules` names it. */
  readonly plural: Intl.LDMLPluralRule
}
