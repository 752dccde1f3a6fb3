import { type Html, html } from '../html.ts'

/** A term and what it is; an undefined one is left out. */
export type Fact = readonly [term: string, value: Html]

/** What is known of a thing, a line each. */
export function facts(list: readonly (Fact | undefined)[]): Html {
  return html`
    <dl class="facts">
      ${list.filter((fact) => fact !== undefined).map(([term, value]) => html`<div><dt>${term}</dt><dd>${value}</dd></div>`)}
    </dl>`
}
