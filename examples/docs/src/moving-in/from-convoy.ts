import { json } from 'node:stream/consumers'

// Reads, from stdin, { endpoints, subscriptions, filters }: the `data.content` of all pages of Convoy's
// GET /api/v1/projects/{projectID}/endpoints and GET /api/v1/projects/{projectID}/subscriptions, and, by the uid of each
// subscription, the `data` of GET /api/v1/projects/{projectID}/subscriptions/{subscriptionID}/filters.
interface ConvoyProject {
  readonly endpoints: readonly {
    readonly uid: string
    readonly owner_id: string
    readonly url: string
    readonly name: string
    readonly status: 'active' | 'inactive' | 'paused'
    readonly advanced_signatures: boolean
    readonly created_at: string
    readonly secrets: readonly { readonly value: string; readonly expires_at: string | null }[]
  }[]
  readonly subscriptions: readonly {
    readonly uid: string
    readonly endpoint_metadata: { readonly uid: string }
    readonly filter_config: { readonly event_types: readonly string[]; readonly filter?: object | null }
  }[]
  readonly filters: Readonly<Record<string, readonly object[]>>
}

const ALL_TYPES = process.argv.slice(2)
/** The signature of a project that has Convoy's default settings. */
const SIGNATURE = { type: 'hmac', header: 'X-Convoy-Signature', over: 'body', encoding: 'hex' }

const { endpoints, subscriptions, filters } = (await json(process.stdin)) as ConvoyProject
for (const owner of new Set(endpoints.map(({ owner_id }) => owner_id)))
  print({ kind: 'account', id: owner, name: owner }) // Convoy knows no name of an owner
for (const { uid, endpoint_metadata, filter_config } of subscriptions) {
  const endpoint = endpoints.find((each) => each.uid === endpoint_metadata.uid)
  if (endpoint === undefined || endpoint.advanced_signatures) {
    console.error(`${uid}: not written, because its endpoint is missing or has advanced signatures`)
    continue
  }
  const contentFilters = filters[uid]
  if (contentFilters === undefined || [filter_config.filter, ...contentFilters].some(hasRules)) {
    console.error(`${uid} is not written, because it filters events by their content, or its filters are not given`)
    continue
  }
  const current = endpoint.secrets.find(({ expires_at }) => expires_at === null)
  print({
    kind: 'subscription',
    accountId: endpoint.owner_id,
    id: uid,
    targetUrl: endpoint.url,
    eventTypes: filter_config.event_types.includes('*') ? ALL_TYPES : filter_config.event_types,
    integration: 'other',
    description: endpoint.name,
    createdAt: endpoint.created_at,
    secret: current?.value,
    signatures: [SIGNATURE],
    ...(endpoint.status === 'active' ? {} : { state: 'disabled', disabledReason: 'account' }),
  })
}

/** Whether a filter has rules, for example for the `body` or the `headers`. Convoy writes a filter without any as `{}`. */
function hasRules(filter: object | null | undefined): boolean {
  return Object.values(filter ?? {}).some((part) => typeof part === 'object' && Object.keys(part ?? {}).length > 0)
}

function print(line: object): void {
  console.log(JSON.stringify(line))
}
