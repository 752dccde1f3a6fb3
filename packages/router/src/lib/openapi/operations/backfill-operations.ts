import { jsonContent } from '../json-content.ts'
import { idParameter } from './parameters.ts'
import type { Section } from './section.ts'

export const backfillOperations: Section = ({ examples }) => {
  const parameters = [idParameter(examples.subscriptionId)]
  const success = (description: string, summary: string) => ({
    200: {
      description,
      ...jsonContent('WebhookBackfill', { backfill: { summary, value: examples.backfill } }),
    },
  })
  return {
    startWebhookBackfill: {
      summary: 'Send earlier events',
      description: [
        'Sends events from before the subscription was created or last enabled: those of its event types that were published at `since` or later, oldest first. New events do not wait for them. Events that were delivered, or that are being retried, are left out.',
        'An earlier `since` extends a backfill, and a later one changes nothing, so the request is safe to repeat. If older events are no longer kept, the backfill begins with the oldest event that is. Backfilled events keep no order among the events of their subject: compare `subject.sequence`.',
      ].join('\n\n'),
      parameters,
      requestBody: jsonContent('WebhookBackfillInput', {
        since: { summary: 'Everything since a time', value: examples.backfillInput },
      }),
      success: success('The backfill as it is now.', 'A backfill that has started'),
      problems: ['NOT_FOUND', 'SUBSCRIPTION_DISABLED'],
    },
    getWebhookBackfill: {
      summary: 'Get the backfill',
      description: 'Returns the last backfill of a subscription. The status is 404 if it never had one.',
      parameters,
      success: success('The backfill.', 'A running backfill'),
      problems: ['NOT_FOUND'],
    },
    cancelWebhookBackfill: {
      summary: 'Stop sending earlier events',
      description:
        'Ends the backfill of a subscription. Deliveries that are in flight finish, and are retried as usual; no further event is sent. Disabling the subscription ends it too. Repeating the request changes nothing.',
      parameters,
      success: success('The backfill as it is now.', 'The backfill'),
      problems: ['NOT_FOUND'],
    },
  }
}
