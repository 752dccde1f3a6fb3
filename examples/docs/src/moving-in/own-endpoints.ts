import type { ImportItem, SignatureFormat } from '@callboard/core'

/** A row of the platform's own table `webhook_endpoints`. */
export interface OwnEndpoint {
  readonly id: string
  readonly customer_id: string
  readonly url: string
  readonly secret: string
  readonly events: string[]
  readonly label: string | null
  readonly enabled: boolean
  readonly created_at: Date
}

// #region item
/** The header that receivers verify today: `X-Shop-Signature: sha256=<hex>`. */
const SIGNATURE: SignatureFormat = {
  ...{ type: 'hmac', header: 'X-Shop-Signature', over: 'body', encoding: 'hex', prefix: 'sha256=' },
}

/** The same endpoint as a subscription. */
export function toImportItem(endpoint: OwnEndpoint): ImportItem {
  return {
    id: endpoint.id,
    accountId: endpoint.customer_id,
    targetUrl: endpoint.url,
    eventTypes: endpoint.events,
    integration: 'other',
    description: endpoint.label,
    secret: endpoint.secret,
    signatures: [SIGNATURE],
    createdAt: endpoint.created_at,
    ...(endpoint.enabled ? {} : { state: 'disabled', disabledReason: 'account' }),
  }
}
// #endregion
