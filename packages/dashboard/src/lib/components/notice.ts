import type { Call } from '../call.ts'
import { type Html, html } from '../html.ts'
import { icon } from './icon.ts'

/**
 * Says what was done after a write has come back here with `?done=…`. The words are the page's own, by that name: nothing of the
 * address is shown. The script takes `done` out of the address, so that a reload does not say it again.
 */
export function notice(call: Call, words: Readonly<Record<string, string>>): Html {
  const done = call.query.get('done')
  if (done === null || !Object.hasOwn(words, done)) return undefined
  return html`<p class="notice" role="status" data-done>${icon('check')}<span>${words[done]}</span></p>`
}
