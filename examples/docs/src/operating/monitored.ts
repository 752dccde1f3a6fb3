import { createCallboard, defineCatalog, describeError } from '@callboard/core'
import { createPostgresStore } from '@callboard/store-postgres'
import type { Pool } from 'pg'

// #region hooks
export function monitored(pool: Pool, secretKey: string, log: (entry: object) => void) {
  return createCallboard({
    catalog: defineCatalog({ version: '2026-10-01', types: [] }),
    store: createPostgresStore({ pool }),
    secretKeys: { current: 'k1', keys: { k1: secretKey } },
    log,
    onError: (error, { requestId }) => log({ level: 'error', message: describeError(error), requestId }),
    onSubscriptionFailing: ({ accountId, id }) => log({ level: 'warn', message: 'subscription fails', accountId, id }),
    onSubscriptionDisabled: (subscription) => log({ level: 'warn', message: 'subscription disabled', ...subscription }),
    onDeliveryExhausted: (delivery) => log({ level: 'warn', message: 'delivery exhausted', ...delivery }),
  })
}
// #endregion
