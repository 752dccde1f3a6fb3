import type { Call } from '../call.ts'
import { type Html, html } from '../html.ts'
import { icon } from './icon.ts'

/**
 * Confirms a write, after which the browser was redirected to a page with `?done=…`. `done` only selects one of the
 * page's own messages, so nothing from the URL is shown. The script removes `done` from the URL, so that a reload does
 * not repeat the notice.
 */
export function notice(call: Call, words: Readonly<Record<string, Html>>): Html {
  const done = call.query.get('done')
  if (done === null || !Object.hasOwn(words, done)) return undefined
  return html`<p class="notice" role="status" data-done>${icon('check')}<span>${words[done]}</span></p>`
}
