import { migrate } from '@callboard/store-postgres'
import { type BenchCallboard, subscribe } from './bench-callboard.ts'

/** The id of the account whose only subscription delivers to the target with the number `target`. */
export function accountOf(target: number): string {
  return `acc_${target}`
}

/** Creates the tables and, for each target, an account with one subscription to it. */
export async function arrange(opened: BenchCallboard, targets: readonly string[]): Promise<void> {
  const client = await opened.pool.connect()
  await migrate(client)
  client.release()
  for (const [index, target] of targets.entries()) await subscribe(opened, accountOf(index), target)
}
