import { migrate } from '@callboard/store-postgres'
import type { BenchCallboard } from './bench-callboard.ts'

/** As many as the pool has connections. */
const AT_ONCE = 10

/** The id of the account whose only subscription delivers to the target with the number `target`. */
export function accountOf(target: number): string {
  return `acc_${target}`
}

export async function createTables({ pool }: Pick<BenchCallboard, 'pool'>): Promise<void> {
  const client = await pool.connect()
  await migrate(client)
  client.release()
}

/** Creates accounts with one subscription each: the account `name(n)` has the `n`th target. */
export async function createAccounts(
  { callboard }: BenchCallboard,
  targets: readonly string[],
  name: (n: number) => string = accountOf,
): Promise<void> {
  let created = 0
  const create = async (): Promise<void> => {
    while (created < targets.length) {
      const n = created++
      await callboard.accounts.create({ id: name(n), name: name(n) })
      await callboard.subscriptions.create({
        accountId: name(n),
        targetUrl: targets[n] ?? '',
        eventTypes: ['note.added'],
      })
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, create))
}
