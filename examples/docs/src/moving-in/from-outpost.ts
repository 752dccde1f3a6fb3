import { createInterface } from 'node:readline'

// Reads, from stdin, one line for each tenant: { tenant, destinations }, with the answer of Outpost's
// GET /tenants/{tenant_id}/destinations.
interface OutpostTenant {
  readonly tenant: string
  readonly destinations: readonly {
    readonly id: string
    readonly type: string
    readonly topics: '*' | readonly string[]
    readonly filter?: object | null
    readonly config: { readonly url: string }
    readonly credentials: { readonly secret: string }
    readonly created_at: string
    readonly disabled_at: string | null
  }[]
}

const ALL_TYPES = process.argv.slice(2)
/** The signature of an Outpost that has the default settings: `x-outpost-signature: v0=<hex>` over the body. */
const SIGNATURE = { type: 'hmac', header: 'x-outpost-signature', over: 'body', encoding: 'hex', prefix: 'v0=' }

for await (const line of createInterface({ input: process.stdin })) {
  const { tenant, destinations }: OutpostTenant = JSON.parse(line)
  print({ kind: 'account', id: tenant, name: tenant }) // Outpost knows no name of a tenant
  for (const { id, type, topics, filter, config, credentials, created_at, disabled_at } of destinations) {
    if (type !== 'webhook') {
      console.error(`${id}: not written, because it is no webhook: ${type}`)
      continue
    }
    if (Object.keys(filter ?? {}).length > 0) {
      console.error(`${id} is not written, because it filters events by their content`)
      continue
    }
    print({
      kind: 'subscription',
      accountId: tenant,
      id,
      targetUrl: config.url,
      eventTypes: topics.includes('*') ? ALL_TYPES : topics,
      integration: 'other',
      createdAt: created_at,
      secret: credentials.secret,
      signatures: [SIGNATURE],
      ...(disabled_at === null ? {} : { state: 'disabled', disabledReason: 'account' }),
    })
  }
}

function print(line: object): void {
  console.log(JSON.stringify(line))
}
