import { eventsParameters } from '../../schemas/event-schemas.ts'
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
})
