import fc from 'fast-check'
import { type Known, SOURCE_ADDRESSES, SUBSCRIPTIONS } from './fuzz-request.ts'
import { nasty } from './nasty-text.ts'

const idIn = ({ events, subscriptions }: Known): fc.Arbitrary<string> =>
  fc.oneof(
    fc.constantFrom(...subscriptions),
    fc.constantFrom(...events),
    fc.constantFrom(...subscriptions).map((each) => each.toUpperCase()),
    fc.constantFrom(...subscriptions).map((each) => `${each.slice(0, -1)}%30`),
    fc.constantFrom('%00', '%ff', '%2e%2e', '..', '.', '%2F', 'sub_', `sub_${'7'.repeat(26)}`, `sub_${'z'.repeat(26)}`),
    nasty.filter((text) => text.length < 9000).map(encoded),
  )

/** A path of a call about deliveries. */
export const deliveryPath = (known: Known): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...known.delivered) }, { weight: 1, arbitrary: idIn(known) }),
      fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...known.events) }, { weight: 1, arbitrary: idIn(known) }),
      fc.constantFrom('deliveries', 'resend', 'backfill', 'deliveries/:event/attempts', 'deliveries/:event/resend'),
    )
    .map(([id, event, rest]) => `${SUBSCRIPTIONS}/${id}/${rest.replace(':event', () => event)}`)

export const path = (all: Known): fc.Arbitrary<string> => {
  const known = fc.constantFrom(
    '/v1/me',
    '/v1/event-types',
    '/v1/events',
    '/v1/events/feed',
    SUBSCRIPTIONS,
    SOURCE_ADDRESSES,
  )
  const id = idIn(all)
  return fc.oneof(
    { weight: 10, arbitrary: known },
    { weight: 4, arbitrary: id.map((each) => `${SUBSCRIPTIONS}/${each}`) },
    { weight: 2, arbitrary: id.map((each) => `/v1/events/${each}`) },
    { weight: 2, arbitrary: id.map((each) => `${SUBSCRIPTIONS}/${each}/rotate-secret`) },
    { weight: 1, arbitrary: id.map((each) => `${SUBSCRIPTIONS}/${each}/test`) },
    { weight: 4, arbitrary: deliveryPath(all) },
    {
      weight: 2,
      arbitrary: fc
        .tuple(known, fc.constantFrom('/', '//', '%00', '.', ';x=1', '%20', '/..', '/../me', '%3F', '\\'))
        .map((parts) => parts.join('')),
    },
    { weight: 1, arbitrary: fc.webPath().map((each) => `/${each}`) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        '/',
        '/v1',
        '/v1/',
        '/V1/me',
        '//v1/me',
        '/v1/%6De',
        '/v1/../v1/me',
        '/v2/me',
        `/${'a/'.repeat(4000)}`,
      ),
    },
  )
}

export const query = ({ cursors: ofList, feedCursors, events }: Known): fc.Arbitrary<string> => {
  const cursors = [...ofList, ...feedCursors]
  const cursor = fc.oneof(
    fc.constantFrom(...cursors),
    fc
      .tuple(fc.constantFrom(...cursors), fc.nat({ max: 200 }), fc.constantFrom('A', '_', 'z', '=', '%00', ''))
      .map(([text, at, other]) => `${text.slice(0, at % text.length)}${other}${text.slice((at % text.length) + 1)}`),
    fc.tuple(fc.constantFrom(...cursors), fc.nat({ max: 200 })).map(([text, at]) => text.slice(0, at)),
    // Well-formed cursors with any time and id, but without a valid signature.
    fc
      .tuple(
        fc.constantFrom([255, 255, 255, 255, 255, 255], [0, 0, 0, 0, 0, 0], [1, 140, 0, 0, 0, 0]),
        fc.uint8Array({ minLength: 48, maxLength: 48 }),
      )
      .map(([time, rest]) => Buffer.from([1, 2, 0x6b, 0x31, ...time, ...rest]).toString('base64url')),
  )
  const value = fc.oneof(
    fc.constantFrom(
      'order.paid',
      'attendee.checked_in',
      'order.PAID',
      'retrying',
      'delivered',
      '1',
      '25',
      '100',
      '0',
      '101',
      '+5',
      '5.0',
      '%35',
      '',
      'order.paid,attendee.checked_in',
      '2020-01-01T00:00:00Z',
    ),
    cursor,
    fc.constantFrom(...events),
    nasty.map(encoded),
    fc.constantFrom('%', '%zz', '%ff%fe', '%u0041', '[]', '{}', 'a=b=c', '%ed%a0%80'),
  )
  const name = fc.constantFrom(
    'type',
    'limit',
    'cursor',
    'type',
    'limit',
    'cursor',
    'state',
    'integration',
    'externalRef',
    'targetUrl',
    'Limit',
    'after',
    'types',
    'since',
    'type[]',
    'state',
    'eventId',
    '%74ype',
    'x',
    '__proto__',
  )
  const pair = fc.oneof(
    { weight: 9, arbitrary: fc.tuple(name, value).map((parts) => parts.join('=')) },
    // No wait that is valid: the answer would take as long.
    { weight: 1, arbitrary: fc.constantFrom('wait=0', 'wait=31', 'wait=-1', 'wait=1.5') },
  )
  const right = fc
    .record({ limit: fc.option(fc.integer({ min: 1, max: 100 })), type: fc.option(fc.constant('order.paid')) })
    .map(({ limit, type }) =>
      [limit === null ? '' : `limit=${limit}`, type === null ? '' : `type=${type}`].filter(Boolean).join('&'),
    )
  return fc.oneof(
    { weight: 3, arbitrary: fc.constant('') },
    { weight: 2, arbitrary: right },
    { weight: 3, arbitrary: fc.tuple(fc.constantFrom('cursor', 'after'), cursor).map((parts) => parts.join('=')) },
    { weight: 3, arbitrary: fc.array(pair, { maxLength: 4 }).map((pairs) => pairs.join('&')) },
    { weight: 1, arbitrary: fc.webQueryParameters() },
  )
}

/** Encodes a string as part of a URL. Replaces lone surrogates, which a URL cannot contain. */
function encoded(value: string): string {
  return encodeURIComponent(value.replace(/\p{Cs}/gu, '\ufffd'))
}
