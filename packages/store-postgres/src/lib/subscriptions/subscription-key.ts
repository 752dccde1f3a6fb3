import { isId, isSubscriptionId, type SubscriptionRef, uuidFromId } from '@callboard/core/store'
import type { OwnerRow } from '../accounts/account-statements.ts'
import type { Runner } from '../database/database.ts'
import { rowByKey } from '../sql/row-by-key.ts'
import type { Statement, SubscriptionKey } from '../sql/statement.ts'
import { FIRST_ID } from '../sql/uuid-range.ts'

export interface OwnIdRow extends OwnerRow {
  id: string
}

/** No two accounts have a subscription with the same id. */
export const findOwnId: Statement<OwnIdRow, { readonly ownId: string }> = {
  name: 'find-own-id',
  text: `
select s.account_id, s.mode, s.id::text as id from ${rowByKey('subscriptions', { own_id: ':ownId' })} s`,
}

/**
 * The key of a subscription's rows; undefined if nothing can have it. An id that the platform brought along has to be
 * looked up.
 */
export async function subscriptionKey(
  runner: Pick<Runner, 'run'>,
  { accountId, mode, id }: SubscriptionRef,
): Promise<SubscriptionKey | undefined> {
  if (isId('sub', id)) return { accountId, mode, id: uuidFromId('sub', id) }
  const [found] = isSubscriptionId(id) ? await runner.run(findOwnId, { ownId: id }) : []
  return found?.account_id === accountId && found.mode === mode ? { accountId, mode, id: found.id } : undefined
}

/**
 * The key after which a walk over subscriptions continues. If `after` no longer exists, the walk repeats the
 * subscriptions of its account and mode, because it must not miss any.
 */
export async function keyAfter(
  runner: Pick<Runner, 'run'>,
  after: SubscriptionRef | undefined,
): Promise<SubscriptionKey> {
  if (after === undefined) return { accountId: '', mode: '', id: FIRST_ID }
  const { accountId, mode } = after
  return (await subscriptionKey(runner, after)) ?? { accountId, mode, id: FIRST_ID }
}
