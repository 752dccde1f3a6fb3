import { type AdviceTexts, advice } from './english/advice.ts'
import { type AttemptTexts, attempts } from './english/attempts.ts'
import { type AuditTexts, audit } from './english/audit.ts'
import { type CommonTexts, common } from './english/common.ts'
import { type DeliveryTexts, deliveries } from './english/deliveries.ts'
import { type EventTexts, events } from './english/events.ts'
import { type FormatVersionTexts, formatVersions } from './english/format-versions.ts'
import { type KeyTexts, keys } from './english/keys.ts'
import { type OverviewTexts, overview } from './english/overview.ts'
import { type ProblemTexts, problems } from './english/problems.ts'
import { type SecretTexts, secrets } from './english/secrets.ts'
import { type SubscriptionFormTexts, subscriptionForm } from './english/subscription-form.ts'
import { type SubscriptionTexts, subscriptions } from './english/subscriptions.ts'
import { type TestEventTexts, testEvents } from './english/test-events.ts'

/** Every text of the dashboard, in one language. */
export interface DashboardTexts {
  /**
   * The language as a BCP 47 tag, such as `en-GB`. It sets the format of dates, numbers and plurals, and tells browsers
   * and screen readers the language of each page.
   */
  readonly language: string
  readonly common: CommonTexts
  readonly problems: ProblemTexts
  readonly overview: OverviewTexts
  readonly subscriptions: SubscriptionTexts
  readonly subscriptionForm: SubscriptionFormTexts
  readonly secrets: SecretTexts
  readonly testEvents: TestEventTexts
  readonly advice: AdviceTexts
  readonly attempts: AttemptTexts
  readonly deliveries: DeliveryTexts
  readonly events: EventTexts
  readonly formatVersions: FormatVersionTexts
  readonly keys: KeyTexts
  readonly audit: AuditTexts
}

/** The dashboard's texts in English, the default. */
export const english: DashboardTexts = {
  language: 'en',
  common,
  problems,
  overview,
  subscriptions,
  subscriptionForm,
  secrets,
  testEvents,
  advice,
  attempts,
  deliveries,
  events,
  formatVersions,
  keys,
  audit,
}
