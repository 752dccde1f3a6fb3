import { isCallboardError } from '@callboard/core'
import type { Page } from '../answer.ts'
import type { Call } from '../call.ts'
import { pageMessage } from '../components/page-message.ts'
import { html } from '../html.ts'

/** The page for a list with an invalid cursor or filter. It links to the start of the list. */
export function unreadableList(call: Call, path: string): Page {
  const { unreadableList: words, showNewest } = call.texts.common
  const newest = html`<a class="button" href=${call.href(path)}>${showNewest}</a>`
  return { title: words.title, status: 400, body: pageMessage(words.title, words.body, newest) }
}

/** Resolves to the list, or to undefined if its cursor or filter is invalid. */
export async function readList<List>(list: Promise<List>): Promise<List | undefined> {
  try {
    return await list
  } catch (error) {
    if (isCallboardError(error, 'VALIDATION_FAILED')) return undefined
    throw error
  }
}
