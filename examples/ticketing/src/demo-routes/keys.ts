import { setTimeout as delay } from 'node:timers/promises'
import { type Callboard, CallboardError, type IssuedKey, isCallboardError, MODES, SCOPES } from '@callboard/core'
import * as z from 'zod'
import { text } from '../catalogue/fields.ts'
import type { Database } from '../database/database.ts'

const timestamp = z.iso.datetime({ offset: true, error: 'must be an ISO 8601 timestamp such as 2026-10-01T18:03:11Z' })

/** The input of `POST /demo/keys`. */
export const keyInput = z.strictObject({
  scopes: z.array(z.enum(SCOPES), `must be a list of scopes: [], or some of ${SCOPES.join(', ')}`),
  mode: z.enum(MODES).optional(),
  expiresAt: timestamp.optional(),
  accountId: text.optional(),
  accountName: text.optional(),
})

/** The input of `POST /demo/keys/:id/rotate`. */
export const rotateInput = z.strictObject({
  overlapMs: z
    .int()
    .min(0)
    .max(7 * 86_400_000)
    .optional(),
  expiresAt: timestamp.optional(),
})

export interface DemoKeys {
  /** Issues a key. Creates the key's account if there is none, and otherwise renames it if `accountName` is given. */
  issue(input: z.output<typeof keyInput>, name?: string): Promise<IssuedKey>
  rotate(keyId: string, input: z.output<typeof rotateInput>): Promise<IssuedKey>
  revoke(keyId: string): Promise<void>
}

export interface DemoKeysOptions {
  readonly callboard: Pick<Callboard, 'accounts' | 'keys'>
  readonly database: Database
  /** The account to use if the input names no account. */
  readonly demoAccount: string
}

export function createDemoKeys({ callboard: { accounts, keys }, database, demoAccount }: DemoKeysOptions): DemoKeys {
  const keep = async (key: IssuedKey): Promise<IssuedKey> => {
    await database.query(z.unknown(), `insert into ticketing.demo_keys (key_id, account_id) values ($1, $2)`, [
      key.id,
      key.accountId,
    ])
    return key
  }
  const accountOf = async (keyId: string): Promise<string> => {
    // A string that cannot be an id is not sent to the database, because some such strings make the query fail.
    const [row] = text.safeParse(keyId).success
      ? await database.query(
          z.object({ account_id: z.string() }),
          `select account_id from ticketing.demo_keys where key_id = $1`,
          [keyId],
        )
      : []
    if (row === undefined)
      throw new CallboardError('NOT_FOUND', 'This key does not exist. Use the id that POST /demo/keys returned.')
    return row.account_id
  }
  const ensureAccount = async (id: string, name: string | undefined): Promise<void> => {
    try {
      await accounts.create({ id, name: name ?? id })
    } catch (error) {
      if (!isCallboardError(error, 'ACCOUNT_EXISTS')) throw error
      if (name !== undefined) await accounts.rename({ id, name })
    }
  }

  return {
    async issue(
      { scopes, mode, expiresAt, accountId = demoAccount, accountName },
      name = 'Created by POST /demo/keys',
    ) {
      await ensureAccount(accountId, accountName)
      const expiry = expiryOf(expiresAt)
      return handOver(await keep(await keys.issue({ accountId, name, scopes, mode, expiresAt: expiry })))
    },
    async rotate(keyId, { overlapMs, expiresAt }) {
      const account = await accountOf(keyId)
      return handOver(
        await keep(await keys.rotate({ accountId: account, id: keyId, overlapMs, expiresAt: expiryOf(expiresAt) })),
      )
    },
    async revoke(keyId) {
      await keys.revoke({ accountId: await accountOf(keyId), id: keyId })
    },
  }
}

const AT_ONCE_MS = 20

/**
 * Replaces a time in the past with a moment from now. The caller then gets an expired key, with which to try out the
 * 401 response.
 */
function expiryOf(expiresAt: string | undefined): Date | undefined {
  if (expiresAt === undefined) return undefined
  return new Date(Math.max(Date.parse(expiresAt), Date.now() + AT_ONCE_MS))
}

/** If {@link expiryOf} set the key's expiry to a moment from now, waits until the key has expired. Returns the key. */
async function handOver(key: IssuedKey): Promise<IssuedKey> {
  const left = key.expiresAt === undefined ? Number.POSITIVE_INFINITY : key.expiresAt.getTime() - Date.now()
  if (left <= AT_ONCE_MS) await delay(Math.max(0, left) + 1)
  return key
}
