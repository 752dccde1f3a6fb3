import { eventsParameters, feedParameters } from '../../schemas/event-schemas.ts'
import { jsonContent } from '../json-content.ts'
import type { HeaderObject, ParameterObject } from '../openapi-document.ts'
import { idParameter, queryParameters } from './parameters.ts'
import type { Section } from './section.ts'

const LAST_EVENT_ID: ParameterObject = {
  name: 'Last-Event-ID',
  in: 'header',
  description: 'Only for a stream: the last `id` that was received. The stream continues after it.',
  required: false,
  schema: { type: 'string' },
}

const FEED_HEADERS: Readonly<Record<string, HeaderObject>> = {
  'Cache-Control': {
    description: 'Responses must not be cached, and streams must not be compressed on their way.',
    required: true,
    schema: { type: 'string', enum: ['no-store', 'no-store, no-transform'] },
    example: 'no-store',
  },
  Vary: {
    description: '`Accept` decides whether the response is a page or a stream.',
    required: true,
    schema: { type: 'string', const: 'Accept' },
    example: 'Accept',
  },
  'X-Accel-Buffering': {
    description: 'Only for a stream: proxies must not hold events back.',
    required: false,
    schema: { type: 'string', const: 'no' },
    example: 'no',
  },
}

const STREAM_EXAMPLE = `retry: 2000

id: AgR0ZXN0b3Blbi1jdXJzb3I
data: {"id":"evt_…","type":"order.paid","data":{}}

id: AgR0ZXN0b3Blbi1jdXJzb3IK
`

export const eventOperations: Section = ({ examples, eventTypes }) => ({
  listEventTypes: {
    summary: 'List event types',
    description:
      'Lists all event types that you can subscribe to, each with a sample and the paths of its personal data.',
    success: {
      200: {
        description: 'All event types.',
        ...jsonContent('EventTypeList', { types: { summary: 'Event types', value: examples.listEventTypes } }),
      },
    },
  },
  listEvents: {
    summary: 'List events',
    description: [
      'Lists recent events, newest first, in the same form as deliveries. Personal data is removed unless the key also has the scope `people.read`.',
      'An event can appear in the list slightly later than newer events. When polling, overlap your reads and drop events whose `id` you have already seen.',
    ].join('\n\n'),
    parameters: queryParameters(eventsParameters, { type: eventTypes.length === 0 ? {} : { enum: [...eventTypes] } }),
    success: {
      200: {
        description: 'A page of events.',
        ...jsonContent('EventList', { page: { summary: 'A page that is not the last', value: examples.listEvents } }),
      },
    },
  },
  readEventFeed: {
    summary: 'Follow events',
    description: [
      'Reads events in the order of the feed, oldest first. Nothing is ever inserted before a cursor, so a client that continues with `nextCursor` misses no event and gets none twice. Events of one subject come in the order of `subject.sequence`, unless the platform numbers them itself.',
      'Without `after` and `since`, the page is empty and its cursor is the present end of the feed. A page can be empty although `hasMore` is true. An event can appear up to a few seconds after it occurred.',
      'If `truncated` is true, events may be missing: you were away for longer than events are kept, or the platform had to restore its database. The page may then repeat events, so drop those whose `id` you have already seen.',
      'With `wait`, the response comes as soon as there is an event. With `Accept: text/event-stream`, events arrive as server-sent events: `id` is the cursor, and `data` the event. A message without `data` only moves the cursor; `event: truncated` says what `truncated` does. When the stream ends, connect again with the last `id` in `Last-Event-ID`, which wins over `after` and `since`. At most 4 calls of a key and 50 of an account can wait in a process of the platform; more get a 429.',
    ].join('\n\n'),
    parameters: [...queryParameters(feedParameters), LAST_EVENT_ID],
    success: {
      200: {
        description: 'A page of the feed, or a stream of events.',
        headers: FEED_HEADERS,
        content: {
          ...jsonContent('EventFeed', { page: { summary: 'A page', value: examples.eventFeed } }).content,
          'text/event-stream': { schema: { type: 'string' }, example: STREAM_EXAMPLE },
        },
      },
    },
  },
  getEvent: {
    summary: 'Get an event',
    description:
      'Returns one event in the same form as the list of events. Personal data is removed unless the key also has the scope `people.read`.',
    parameters: [idParameter(examples.eventId, 'The `id` of the event.')],
    success: {
      200: {
        description: 'The event.',
        ...jsonContent('Event', { event: { summary: 'An event without personal data', value: examples.getEvent } }),
      },
    },
    problems: ['EVENT_NOT_FOUND'],
  },
})
