import { isCallboardError, type OwnedRef } from '@callboard/core'
import type { Call } from '../call.ts'
import { type Html, html } from '../html.ts'

/**
 * Reads the text of an event in the shape that keys and subscriptions pinned to `apiVersion` get. Returns undefined if
 * the event does not exist, and `unconvertible` if the conversion fails, which is reported to the platform.
 */
export async function readInVersion(
  event: OwnedRef,
  sight: { readonly personalData: boolean; readonly apiVersion: string },
  { engine }: Call,
): Promise<string | 'unconvertible' | undefined> {
  try {
    return await engine.eventTexts.find({ ...event, ...sight })
  } catch (error) {
    if (!isCallboardError(error, 'CONVERSION_FAILED')) throw error
    engine.hooks.onError(error)
    return 'unconvertible'
  }
}

export function unconvertible({ texts }: Pick<Call, 'texts'>): Html {
  return html`<p class="muted">${texts.deliveries.body.unconvertible}</p>`
}
