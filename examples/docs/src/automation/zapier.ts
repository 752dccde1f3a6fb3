/** What is used here of Zapier's `z`. */
export interface Z {
  request(options: {
    readonly url: string
    readonly method?: 'GET' | 'POST' | 'DELETE' | undefined
    readonly params?: Readonly<Record<string, string | number>> | undefined
    readonly body?: object | undefined
  }): Promise<{ readonly data: unknown }>
}

const API = 'https://api.example.com/v1'

// #region authentication
export const authentication = {
  type: 'custom',
  fields: [{ key: 'apiKey', label: 'API key', type: 'password', required: true }],
  test: { url: `${API}/me` },
  connectionLabel: '{{entity.name}}',
}

/** In `beforeRequest` of the app. */
export function addApiKey<R extends { headers: Record<string, string> }>(
  request: R,
  _z: unknown,
  bundle: { readonly authData: { readonly apiKey: string } },
): R {
  request.headers['Authorization'] = `Bearer ${bundle.authData.apiKey}`
  return request
}
// #endregion

// #region trigger
export const orderPaid = {
  key: 'order_paid',
  noun: 'Order',
  display: { label: 'Order Paid', description: 'Triggers when an order is paid.' },
  operation: {
    type: 'hook',
    /** What this gives is kept by Zapier, and comes back as `bundle.subscribeData`. */
    async performSubscribe(z: Z, bundle: { readonly targetUrl: string }): Promise<unknown> {
      const body = { targetUrl: bundle.targetUrl, eventTypes: ['order.paid'], integration: 'zapier' }
      return (await z.request({ method: 'POST', url: `${API}/webhooks/subscriptions`, body })).data
    },
    async performUnsubscribe(z: Z, bundle: { readonly subscribeData: { readonly id: string } }): Promise<object> {
      await z.request({ method: 'DELETE', url: `${API}/webhooks/subscriptions/${bundle.subscribeData.id}` })
      return {}
    },
    perform(_z: Z, bundle: { readonly cleanedRequest: object }): object[] {
      return [bundle.cleanedRequest]
    },
    /** Recent events, for the user to map fields with: the same shape as a delivery has. */
    async performList(z: Z): Promise<unknown> {
      const { data } = await z.request({ url: `${API}/events`, params: { type: 'order.paid', limit: 3 } })
      return (data as { data: object[] }).data
    },
    sample: { id: 'evt_…', type: 'order.paid', data: { order: { id: 'ord_1' } } },
  },
}
// #endregion
