/** The thing that an event is about, such as an order. */
export interface Subject {
  readonly type: string
  readonly id: string
}

/** A stored event, without its envelope and its patch. */
export interface StoredEvent {
  readonly id: string
  readonly type: string
  readonly occurredAt: Date
  readonly subject: Subject & { readonly sequence: number }
}

/** An event as read for a page or a delivery. */
export interface EventText {
  readonly id: string
  readonly type: string
  /** The envelope's text without personal data. */
  readonly body: string
  /**
   * The patch that restores the personal data; null when the event has no personal data, when the data was erased, or
   * when the reader may not see it.
   */
  readonly patch: string | null
  readonly fingerprint: string
}
