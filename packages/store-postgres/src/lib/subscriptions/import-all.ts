import {
  type ImportedSubscription,
  type ImportOutcome,
  idFromUuid,
  type Store,
  targetHost,
  unlessStandard,
  uuidFromId,
} from '@callboard/core/store'
import { entryJson } from '../audit/record-entry.ts'
import type { Database } from '../database/database.ts'
import { type ImportRow, importSubscriptions } from './import-subscriptions.ts'

type Import = Store<unknown>['subscriptions']['importSubscriptions']

/** Calls the statement again for the items that another transaction got in the way of. */
export async function importAll(
  database: Database,
  subscriptions: Parameters<Import>[0],
  limits: Parameters<Import>[1],
): Promise<ImportOutcome[]> {
  const rows = await database.run(importSubscriptions, {
    items: JSON.stringify(subscriptions.map(toItem)),
    total: limits.total,
    dryRun: limits.dryRun,
  })
  const outcomes = rows.map((row, index) => toOutcome(row, subscriptions[index]))
  const left = subscriptions.filter((_, index) => outcomes[index] === undefined)
  const again = left.length === 0 ? [] : await importAll(database, left, limits)
  return outcomes.flatMap((outcome) => outcome ?? again.shift() ?? [])
}

function toOutcome({ outcome, id }: ImportRow, imported: ImportedSubscription | undefined): ImportOutcome | undefined {
  switch (outcome) {
    case null:
      return undefined
    case 'imported':
    case 'duplicate':
    case 'existing': {
      if (imported === undefined) throw new Error('import_subscriptions returned a row too many')
      return { outcome, id: outcome === 'existing' && !imported.named ? idFromUuid('sub', id ?? '') : imported.id }
    }
    default:
      return { outcome }
  }
}

function toItem(imported: ImportedSubscription, index: number): object {
  const { id, laneId, secrets, entry, createdAt } = imported
  const [current, former] = secrets
  const uuid = uuidFromId('sub', laneId)
  return {
    n: index + 1,
    account_id: imported.accountId,
    mode: imported.mode,
    id: uuid,
    own_id: id === laneId ? null : id,
    named: imported.named,
    digests: imported.digests,
    identity: Buffer.from(imported.identity).toString('hex'),
    target_url: imported.targetUrl,
    host: targetHost(imported.targetUrl),
    event_types: imported.eventTypes,
    integration: imported.integration,
    external_ref: imported.externalRef ?? null,
    description: imported.description ?? null,
    api_version: imported.apiVersion,
    secret: current.sealed,
    former_secret: former?.sealed ?? null,
    former_secret_expires_at: former?.expiresAt?.toISOString() ?? null,
    signatures: unlessStandard(imported.signatures) ?? null,
    personal_data: imported.personalData,
    disabled_reason: imported.disabledReason ?? null,
    created_at: createdAt.toISOString(),
    entry: JSON.parse(entryJson(entry, uuid)),
  }
}
