/** What lists and facts show of an envelope; its text is shown as it is. */
export interface Envelope {
  readonly id: string
  readonly type: string
  readonly version: string
  readonly occurred_at: string
  readonly subject: { readonly type: string; readonly id: string; readonly sequence: number }
  readonly correlation_id: string | null
}

/** Of a text that Callboard wrote. */
export function parseEnvelope(text: string): Envelope {
  return JSON.parse(text)
}
