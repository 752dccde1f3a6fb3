import type { Callboard, Trouble } from '@callboard/core'
import type { Finding } from '@callboard/core/store'
import { TROUBLES } from '../troubles.ts'

/** At most this many subscriptions are counted. */
const MOST = 100

/** Counts the troubled subscriptions of all accounts. `callboard status` lists them. */
export async function checkTroubled({ subscriptions }: Callboard): Promise<Finding> {
  const check = 'deliveries'
  const troubled = await subscriptions.troubled({ limit: MOST })
  if (troubled.length === 0) return { check, verdict: 'ok', message: 'no subscription is in trouble' }
  const counts = new Map<Trouble, number>()
  for (const { trouble } of troubled) counts.set(trouble, (counts.get(trouble) ?? 0) + 1)
  const kinds = [...counts].map(([trouble, count]) => `${count} ${TROUBLES[trouble]}`)
  const number = troubled.length === MOST ? `${MOST} or more` : String(troubled.length)
  const message = `${number} ${troubled.length === 1 ? 'subscription is' : 'subscriptions are'} in trouble: ${kinds.join(', ')}`
  const onlyHeldBack = counts.size === 1 && counts.has('heldBack')
  const advice = 'Run `callboard status`: it lists them, the worst first.'
  return { check, verdict: onlyHeldBack ? 'ok' : 'warning', message, advice }
}
