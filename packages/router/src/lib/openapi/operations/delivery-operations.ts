import { attemptsParameters, deliveriesParameters } from '../../schemas/delivery-schemas.ts'
import { jsonContent } from '../json-content.ts'
import { eventIdParameter, idParameter, queryParameters } from './parameters.ts'
import type { Section } from './section.ts'

export const deliveryOperations: Section = ({ examples }) => {
  const subscription = idParameter(examples.subscriptionId)
  const event = eventIdParameter(examples.deliveredEventId)
  return {
    listWebhookDeliveries: {
      summary: 'List deliveries',
      description:
        'Lists what was sent to a subscription and what came back, newest event first. A page that is not the last can be shorter than `limit`, or empty.',
      parameters: [subscription, ...queryParameters(deliveriesParameters)],
      success: {
        200: {
          description: 'A page of deliveries.',
          ...jsonContent('WebhookDeliveryList', {
            page: { summary: 'A delivery that failed once', value: examples.listDeliveries },
          }),
        },
      },
      problems: ['NOT_FOUND'],
    },
    listWebhookDeliveryAttempts: {
      summary: 'List the attempts of a delivery',
      description:
        "Lists the attempts to deliver an event, newest first. The target's responses are left out unless the key also has the scope `people.read`, because a target can echo the personal data that it was sent.",
      parameters: [subscription, event, ...queryParameters(attemptsParameters)],
      success: {
        200: {
          description: 'A page of attempts.',
          ...jsonContent('WebhookDeliveryAttemptList', {
            page: { summary: 'A failed attempt', value: examples.listAttempts },
          }),
        },
      },
      problems: ['NOT_FOUND'],
    },
    resendWebhookDelivery: {
      summary: 'Resend an event',
      description: [
        'Sends an event to a subscription once more, before its other deliveries. Works for any event of the account and mode that is still kept, even for one that the subscription never received. The repeat has the same `webhook-id`.',
        'The request has no body. Repeating it while the delivery waits for its attempt sends nothing twice.',
      ].join('\n\n'),
      parameters: [subscription, event],
      success: {
        202: {
          description: 'The delivery is due.',
          ...jsonContent('ResentWebhookDelivery', {
            resent: { summary: 'A retry that is due now', value: examples.resentDelivery },
          }),
        },
      },
      problems: ['NOT_FOUND', 'SUBSCRIPTION_DISABLED', 'EVENT_EXPIRED'],
    },
    resendWebhookDeliveries: {
      summary: 'Resend a range',
      description: [
        'Sends the deliveries of events published in a time range once more, oldest first; by default, those that were not delivered. Use it after an outage of the target.',
        'One request examines a bounded number of deliveries. Repeat it with `nextCursor` as `cursor` until `nextCursor` is null. Starting over is safe: a delivery that is due already is not resent twice.',
      ].join('\n\n'),
      parameters: [subscription],
      requestBody: jsonContent('WebhookResendRange', {
        range: { summary: 'Everything undelivered of a day', value: examples.resendRange },
      }),
      success: {
        202: {
          description: 'The deliveries that this request found are due.',
          ...jsonContent('ResentWebhookDeliveries', {
            resent: { summary: 'The whole range', value: examples.resentDeliveries },
          }),
        },
      },
      problems: ['NOT_FOUND', 'SUBSCRIPTION_DISABLED'],
    },
  }
}
