import type { Statement } from './statement.ts'

/**
 * Stores one event: its sequence, or null when something is in its way, and then nothing is changed; {@link publish} says what it
 * is. The channel $19 is notified, unless it is null. The function's plans are kept by the session (migrations 0005 and 0010).
 */
export const publishEvent: Statement<{ sequence: number | null }> = {
  name: 'publish-event',
  text: `
select callboard.publish_event($1::text, $2::text, $3::uuid, $4::text, $5::timestamptz, $6::text, $7::text, $8::bigint, $9::text,
  $10::text, $11::text, $12::text, $13::text, $14::text, $15::text, $16::text, $17::boolean, $18::text)::float8 as sequence,
  (select pg_notify($19, '')::text where $19::text is not null) as told`,
}

/**
 * The same for several without an id or key of the publisher's own: a row for each, in their order, or none. $9 to $12, which are
 * JSON, are one text each with U+001F between, an empty patch is none.
 */
export const publishEvents: Statement<{ sequence: number }> = {
  name: 'publish-events',
  text: `
select sequence::float8 as sequence, (select pg_notify($16, '')::text where $16::text is not null) as told
from callboard.publish_events($1::text[], $2::text[], $3::uuid[], $4::text[], $5::timestamptz[], $6::text[], $7::text[], $8::bigint[],
  string_to_array($9::text, chr(31)), string_to_array($10::text, chr(31)), string_to_array($11::text, chr(31)),
  string_to_array($12::text, chr(31), ''), $13::text[], $14::text[], $15::text[]) as sequence`,
}
