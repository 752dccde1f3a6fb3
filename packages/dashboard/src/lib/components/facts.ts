import { type Html, html } from '../html.ts'

/** A term and its value. */
export type Fact = readonly [term: string, value: Html]

/** A list of terms and values. Undefined entries are left out. */
export function facts(list: readonly (Fact | undefined)[]): Html {
  return html`
    <dl class="facts">
      ${list.filter((fact) => fact !== undefined).map(([term, value]) => html`<div><dt>${term}</dt><dd>${value}</dd></div>`)}
    </dl>`
}
