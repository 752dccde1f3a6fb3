/** The part of Zapier's `z` that this app uses. */
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

/** List this in the app's `beforeRequest`. */
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
    /** Zapier stores the result and passes it to `performUnsubscribe` as `bundle.subscribeData`. */
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
    /** Returns recent events in the shape of a delivery, from which the user maps fields. */
    async performList(z: Z): Promise<unknown> {
      const { data } = await z.request({ url: `${API}/events`, params: { type: 'order.paid', limit: 3 } })
      return (data as { data: object[] }).data
    },
    sample: { id: 'evt_…', type: 'order.paid', data: { order: { id: 'ord_1' } } },
  },
}
// #endregion
