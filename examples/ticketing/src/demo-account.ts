import type { Callboard } from '@callboard/core'
import { readDemoAccess } from './demo-file.ts'
import type { DemoKeys } from './demo-routes/keys.ts'

/** The account that owns the shop's events. */
export const DEMO_ACCOUNT = 'acct_demo'
const NAME = 'Riverside Tickets'

export interface DemoKey {
  readonly id: string
  readonly key: string
  /** False if the key was issued in an earlier run. */
  readonly isNew: boolean
}

/** Returns the key in the data folder if it is valid in this database, and otherwise a new key. */
export async function findOrIssueDemoKey(
  callboard: Pick<Callboard, 'accounts' | 'keys'>,
  keys: DemoKeys,
  dataDir: string,
): Promise<DemoKey> {
  const kept = await readDemoAccess(dataDir)
  const known = (await callboard.keys.list({ accountId: DEMO_ACCOUNT })).keys.find(({ id }) => id === kept?.keyId)
  const isValid =
    known !== undefined &&
    known.revokedAt === undefined &&
    (known.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY) > Date.now()
  if (kept !== undefined && isValid) return { id: kept.keyId, key: kept.key, isNew: false }
  const isFirst = (await callboard.accounts.find({ id: DEMO_ACCOUNT })) === undefined
  const { id, token } = await keys.issue(
    {
      scopes: ['webhooks.read', 'webhooks.write', 'people.read'],
      accountId: DEMO_ACCOUNT,
      accountName: isFirst ? NAME : undefined,
    },
    'Demo key',
  )
  return { id, key: token, isNew: true }
}
