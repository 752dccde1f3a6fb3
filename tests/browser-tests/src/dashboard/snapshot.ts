import type { Mode } from '@callboard/core'
import type { DashboardWorld } from './dashboard-world.ts'

const MODES: readonly Mode[] = ['live', 'test']

/** Everything that a write could change in an account while no worker runs. */
export async function snapshot({ callboard }: DashboardWorld, accountId: string): Promise<object> {
  const { keys } = await callboard.keys.list({ accountId })
  const subscriptions = (
    await Promise.all(MODES.map((mode) => callboard.subscriptions.list({ accountId, mode })))
  ).flat()
  const deliveries = await Promise.all(
    subscriptions.map((ref) =>
      callboard.deliveries.list({ accountId: ref.accountId, subscriptionId: ref.id, limit: 100 }),
    ),
  )
  return {
    account: await callboard.accounts.find({ id: accountId }),
    keys: keys.map(({ lastUsedAt: _, ...key }) => key),
    subscriptions,
    deliveries: deliveries.map((page) => page.deliveries),
  }
}
