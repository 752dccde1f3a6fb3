import { isCallboardError } from '@callboard/core'
import type { Page } from '../answer.ts'
import type { Call } from '../call.ts'
import { emptyState } from '../components/empty-state.ts'
import { html } from '../html.ts'

/** A list whose address was changed by hand, or is of another list: it cannot be shown, but the list can from its start. */
export function unreadableList(call: Call, path: string): Page {
  return {
    title: 'This page of the list cannot be shown',
    status: 400,
    body: emptyState(
      'This page of the list cannot be shown',
      'Its address has been changed, or belongs to another list.',
      html`<a class="button" href=${call.href(path)}>Show the newest</a>`,
    ),
  }
}

/** What a list came to, or undefined where its cursor or filter was not one of its own. */
export async function readList<List>(list: Promise<List>): Promise<List | undefined> {
  try {
    return await list
  } catch (error) {
    if (isCallboardError(error, 'VALIDATION_FAILED')) return undefined
    throw error
  }
}
