import type { Call } from '../call.ts'
import { type Html, html } from '../html.ts'
import { copyButton } from './copyable.ts'
import { isJson, prettyJson } from './json-text.ts'
import { count } from './number.ts'
import { shown } from './visible-text.ts'

/** Text that is longer than about this many lines is shown collapsed. */
const LINES = 80

/** A page can show 25 responses of 16 KiB, so only this many tokens of each text are coloured. */
const COLOURED = 1_000
const TOKEN = /(?<key>"(?:[^"\\]|\\.)*"(?=:))|(?<string>"(?:[^"\\]|\\.)*")|(?<literal>-?\d[\d.eE+-]*|true|false|null)/g

export interface JsonViewOptions {
  /** The accessible name of the text, and part of the copy button's name (“Copy the body”). */
  readonly label: string
  /** Whether long text starts expanded; false by default. */
  readonly open?: boolean | undefined
}

/**
 * Shows JSON, or any other text, as inert text: indented without changing a value, with hidden characters made visible.
 */
export function jsonView(call: Pick<Call, 'texts'>, text: string, { label, open = false }: JsonViewOptions): Html {
  const pretty = prettyJson(text)
  const lines = pretty.split('\n')
  const long = lines.length > LINES + 10 || pretty.length > LINES * 200
  const view = html`<pre tabindex="0" role="region" aria-label=${label}><code>${coloured(pretty)}</code></pre>`
  return html`
    <div class="json-view">
      ${copyButton(call, text, label)}
      ${long ? html`<details open=${open}><summary>${call.texts.common.showAllLines(count(call, lines.length))}</summary>${view}</details>` : view}
    </div>`
}

/** JSON with its first {@link COLOURED} tokens coloured by kind. Text with hidden characters shows those instead. */
function coloured(text: string): Html {
  const visible = shown(text)
  if (visible !== text || !isJson(text)) return visible
  const parts: Html[] = []
  let from = 0
  for (const { 0: token, index, groups = {} } of text.matchAll(TOKEN)) {
    if (parts.length >= 2 * COLOURED) break
    const kind = ['key', 'string', 'literal'].find((each) => groups[each] !== undefined)
    parts.push(text.slice(from, index), html`<span class=${`json-${kind}`}>${token}</span>`)
    from = index + token.length
  }
  return [...parts, text.slice(from)]
}
