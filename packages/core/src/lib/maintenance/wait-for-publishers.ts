import type { MaintenanceStore } from '../ports/maintenance-store.ts'

/**
 * Waits, for at most `waitMs`, until the open transactions that have published an event have ended. Returns when the
 * wait began (`since`), and how many of these transactions are still open.
 */
export async function waitForPublishers(
  store: Pick<MaintenanceStore, 'openTransactions'>,
  waitMs: number,
): Promise<{ readonly since: string; readonly stillOpen: number }> {
  const { since, publishing } = await store.openTransactions()
  let open = publishing
  let left = waitMs
  for (let pause = 10; open.length > 0 && left > 0; pause = Math.min(2 * pause, 500)) {
    const wait = Math.min(pause, left)
    await new Promise((resolve) => setTimeout(resolve, wait))
    left -= wait
    const now = new Set((await store.openTransactions()).publishing)
    open = open.filter((id) => now.has(id))
  }
  return { since, stillOpen: open.length }
}
