/**
 * The meaning of a target's status: a 2xx is a delivery, 410 Gone ends the subscription (it is disabled as `gone`), and anything
 * else, redirects included, is a failed attempt that the retry schedule follows (decisions, “Success” and “Disabled”).
 */
export function responseVerdict(status: number): 'delivered' | 'gone' | 'failed' {
  if (status >= 200 && status < 300) return 'delivered'
  return status === 410 ? 'gone' : 'failed'
}
