import type { DashboardTexts } from './english.ts'
import { advice } from './german/advice.ts'
import { attempts } from './german/attempts.ts'
import { audit } from './german/audit.ts'
import { common } from './german/common.ts'
import { deliveries } from './german/deliveries.ts'
import { events } from './german/events.ts'
import { formatVersions } from './german/format-versions.ts'
import { keys } from './german/keys.ts'
import { overview } from './german/overview.ts'
import { problems } from './german/problems.ts'
import { secrets } from './german/secrets.ts'
import { subscriptionForm } from './german/subscription-form.ts'
import { subscriptions } from './german/subscriptions.ts'
import { testEvents } from './german/test-events.ts'

/** The dashboard’s texts in German. */
export const german: DashboardTexts = {
  language: 'de',
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
