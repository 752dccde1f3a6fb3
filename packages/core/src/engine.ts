export type { Admission } from './lib/admission/admission.ts'
export type { AnyCallboard } from './lib/callboard.ts'
export { PAGE_LIMIT } from './lib/cursors/page-cursors.ts'
export type { AttemptReason } from './lib/deliveries/attempt-reason.ts'
export type { DeliveriesPage } from './lib/deliveries/deliveries.ts'
export { standingOf } from './lib/deliveries/standing.ts'
export { type Engine, engineOf, withHooks } from './lib/engine-of.ts'
export { versionIssue } from './lib/events/api-version.ts'
export type { ListedEventType } from './lib/events/catalog-version.ts'
export { conversionIssuesOf } from './lib/events/conversion-issues.ts'
export type { EventsQuery, EventTextsPage } from './lib/events/event-reading.ts'
export type { Formats } from './lib/events/formats.ts'
export { isPreviousType } from './lib/events/previous-type.ts'
export { createTestEvent, type SentTest, type TestSender } from './lib/events/test-event.ts'
export { describeError } from './lib/hooks/describe-error.ts'
export type { GuardedHooks } from './lib/hooks/hooks.ts'
export { KEY_NAME_LENGTH } from './lib/keys/keys.ts'
export { carriesPersonalData } from './lib/personal-data/who-may-see.ts'
export { apiSubscriptionChanges, apiSubscriptionInput } from './lib/subscriptions/api-subscription-input.ts'
export { changeable, unknownSubscription } from './lib/subscriptions/changeable.ts'
export { DESCRIPTION_LENGTH, EVENT_TYPES_COUNT } from './lib/subscriptions/subscription-rules.ts'
export { ENABLES_FROM } from './lib/subscriptions/who-may-enable.ts'
export { assertAddressPolicy, judgeAddress } from './lib/targets/address-policy.ts'
export { canonicalAddress } from './lib/targets/ip-address.ts'
export { parseTargetUrl, TARGET_URL_MAX_LENGTH, TARGET_URL_MESSAGE, type TargetUrl } from './lib/targets/target-url.ts'
export type {
  SeenAttempt,
  SeenEvent,
  SeenOutcome,
  SeenRecord,
  SeenRequest,
  Telemetry,
} from './lib/telemetry/telemetry.ts'
export { isStorableDate, validationFailed } from './lib/validation/validation.ts'
export { assertWhole } from './lib/validation/whole-number.ts'
