import { createInterface } from 'node:readline'

// Reads, from stdin, one line for each application: { app, endpoints, secrets }, as the calls of Svix's API answer:
// GET /api/v1/app, GET /api/v1/app/{app_id}/endpoint and GET /api/v1/app/{app_id}/endpoint/{endpoint_id}/secret.
interface SvixApplication {
  readonly app: { readonly id: string; readonly uid?: string | null; readonly name: string }
  readonly endpoints: readonly {
    readonly id: string
    readonly url: string
    readonly description: string
    readonly filterTypes?: readonly string[] | null
    readonly channels?: readonly string[] | null
    readonly disabled?: boolean
    readonly createdAt: string
  }[]
  /** The secret of each endpoint, by the endpoint's id. */
  readonly secrets: Readonly<Record<string, { readonly key: string }>>
}

/** An endpoint without `filterTypes` gets all event types, so name them: a subscription to later ones has to be chosen. */
const ALL_TYPES = process.argv.slice(2)

for await (const line of createInterface({ input: process.stdin })) {
  const { app, endpoints, secrets }: SvixApplication = JSON.parse(line)
  const accountId = app.uid ?? app.id
  print({ kind: 'account', id: accountId, name: app.name })
  for (const endpoint of endpoints) {
    if (endpoint.channels != null && endpoint.channels.length > 0) {
      console.error(`${endpoint.id} is not written, because it filters by channels`)
      continue
    }
    print({
      kind: 'subscription',
      accountId,
      id: endpoint.id, // a uid is unique only within its application
      targetUrl: endpoint.url,
      eventTypes: endpoint.filterTypes ?? ALL_TYPES,
      integration: 'other',
      description: endpoint.description || null,
      createdAt: endpoint.createdAt,
      secret: secrets[endpoint.id]?.key,
      signatures: ['svix', 'standard'], // drop `svix` once receivers verify webhook-signature
      ...(endpoint.disabled === true ? { state: 'disabled', disabledReason: 'account' } : {}),
    })
  }
}

function print(line: object): void {
  console.log(JSON.stringify(line))
}
