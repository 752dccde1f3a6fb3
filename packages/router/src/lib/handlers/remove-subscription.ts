import { afterAdmission, type Handler, type RouterCallboard } from './handler.ts'

/** `DELETE /v1/webhooks/subscriptions/:id` (contract, 4.5). */
export function removeSubscription(callboard: RouterCallboard): Handler {
  return afterAdmission(callboard, async (caller, _call, { id = '' }) => {
    await callboard.subscriptions.remove(caller, id)
    return { status: 204, body: null }
  })
}
