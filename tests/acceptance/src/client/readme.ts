import { CallboardApiError, type CallboardEvent, createClient, type Subscription } from '@callboard/client'

/** The `data` of each event type. With access to the platform's catalogue, use `typeof catalog` instead. */
interface Shop {
  'order.paid': { order: { id: string; buyer: { entity_id: string; email?: string } } }
  'attendee.checked_in': { attendee: { id: string } }
}
type OrderPaid = CallboardEvent<Shop, 'order.paid'>

export async function subscribe(baseUrl: string, apiKey: string, flow: string): Promise<Subscription> {
  const client = createClient<Shop>({ baseUrl, apiKey }) // 'https://api.example.com', 'cb_live_…'
  try {
    return await client.subscriptions.create({
      targetUrl: 'https://hooks.example.com/callboard',
      eventTypes: ['order.paid', 'attendee.checked_in'],
      externalRef: flow, // a repeat with the same fields returns the same subscription and secret
    })
  } catch (error) {
    if (!(error instanceof CallboardApiError)) throw error
    throw new Error(`${error.code}: ${error.message} (${error.requestId})`)
  }
}

/** Reads recent events, newest first. */
export async function read(baseUrl: string, apiKey: string, save: (event: OrderPaid) => void): Promise<void> {
  const client = createClient<Shop>({ baseUrl, apiKey })
  const signal = AbortSignal.timeout(60_000)
  for await (const event of client.events({ type: 'order.paid', limit: 100 }, { signal })) {
    save(event) // event.data.order is typed
  }
}

/** Where you keep the cursor, in the transaction in which you handle the event if you can. */
interface Kept {
  cursor(): Promise<string | undefined>
  save(cursor: string): Promise<void>
}

/** Handles every new event, oldest first. After a restart, it continues where it stopped. */
export async function follow(
  baseUrl: string,
  apiKey: string,
  kept: Kept,
  handle: (event: OrderPaid) => Promise<void>,
): Promise<void> {
  const client = createClient<Shop>({ baseUrl, apiKey })
  const after = await kept.cursor()
  for await (const event of client.events.follow({ types: ['order.paid'], after, onCursor: kept.save })) {
    await handle(event)
  }
}
