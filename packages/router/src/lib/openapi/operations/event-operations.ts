import { eventsParameters, feedParameters } from '../../schemas/event-schemas.ts'
import { jsonContent } from '../json-content.ts'
import { queryParameters, versionParameter } from './parameters.ts'
import type { Section } from './section.ts'

export const eventOperations: Section = ({ examples, eventTypes, versions }) => ({
  listEventTypes: {
    summary: 'List event types',
    description:
      'Lists all event types that you can subscribe to, each with a sample and the paths of its personal data.',
    tag: 'Events',
    success: {
      200: {
        description: 'All event types.',
        ...jsonContent('EventTypeList', { types: { summary: 'Event types', value: examples.listEventTypes } }),
      },
    },
    parameters: [versionParameter(versions)],
    problems: ['INVALID_QUERY'],
  },
  listEvents: {
    summary: 'List events',
    description: [
      'Lists recent events, newest first, in the same form as deliveries. Personal data is removed unless the key also has the scope `people.read`.',
      'An event can appear in the list slightly later than newer events. When polling, overlap your reads and drop events whose `id` you have already seen.',
    ].join('\n\n'),
    tag: 'Events',
    parameters: [
      ...queryParameters(eventsParameters, { type: eventTypes.length === 0 ? {} : { enum: [...eventTypes] } }),
      versionParameter(versions),
    ],
    success: {
      200: {
        description: 'A page of events.',
        ...jsonContent('EventList', { page: { summary: 'A page that is not the last', value: examples.listEvents } }),
      },
    },
    problems: ['INVALID_QUERY'],
  },
  readEventFeed: {
    summary: 'Follow events',
    description: [
      'Reads events in the order of the feed, oldest first. Nothing is ever inserted before a cursor, so a client that continues with `nextCursor` misses no event and gets none twice. Events of one subject come in the order of `subject.sequence`, unless the platform numbers them itself.',
      'Without `after` and `since`, the page is empty and its cursor is the present end of the feed. A page can be empty although `hasMore` is true. An event can appear up to a few seconds after it occurred.',
      'If `truncated` is true, events may be missing: you were away for longer than events are kept, or the platform had to restore its database. The page may then repeat events, so drop those whose `id` you have already seen.',
    ].join('\n\n'),
    tag: 'Events',
    parameters: [...queryParameters(feedParameters), versionParameter(versions)],
    success: {
      200: {
        description: 'A page of the feed.',
        ...jsonContent('EventFeed', { page: { summary: 'A page', value: examples.eventFeed } }),
      },
    },
    problems: ['INVALID_QUERY'],
  },
})
