/** A parameter of statements with {@link NOTIFY_DUE}. */
export interface DueNotice {
  /** The channel to notify; null for none. */
  readonly channel: string | null
}

/** The payload of a notice that lanes have become due because of something that no worker settled. */
export const DUE = 'due'

/** SQL for a column that notifies workers of lanes that this statement made due, if `:channel` is not null. */
export const NOTIFY_DUE: string = `(select pg_notify(:channel::text, '${DUE}')::text where :channel::text is not null) as notified`
