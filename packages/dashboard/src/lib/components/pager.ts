import type { Call } from '../call.ts'
import { type Html, html } from '../html.ts'
import { icon } from './icon.ts'
import { pageQuery } from './page-query.ts'

/**
 * Links to the newest and to older entries of a list, with the same filters. Renders nothing if the list has only one
 * page.
 */
export function pager(
  call: Call,
  nextCursor: string | null | undefined,
  older: string = call.texts.common.older,
): Html {
  const behind = call.query.has('cursor')
  if (!behind && !nextCursor) return undefined
  return html`
    <nav class="pager" aria-label=${call.texts.common.pages}>
      ${behind && html`<a class="button" href=${pageQuery(call, { cursor: undefined })}>${icon('back')}${call.texts.common.newest}</a>`}
      ${nextCursor && html`<a class="button" rel="next" href=${pageQuery(call, { cursor: nextCursor })}>${older}${icon('next')}</a>`}
    </nav>`
}
