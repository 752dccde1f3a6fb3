/**
 * The meaning of a target's HTTP status for a delivery. A 2xx means delivered, and 410 Gone disables the subscription
 * with reason `gone`. Anything else, including a redirect, is a failed attempt.
 */
export function responseOutcome(status: number): 'delivered' | 'gone' | 'failed' {
  if (status >= 200 && status < 300) return 'delivered'
  return status === 410 ? 'gone' : 'failed'
}
