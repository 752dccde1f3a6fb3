export { accountNameIssue } from './lib/accounts/accounts.ts'
export type { Admission } from './lib/admission/admission.ts'
export type { AnyCallboard } from './lib/callboard.ts'
export { PAGE_LIMIT } from './lib/cursors/page-cursors.ts'
export {
  ATTEMPT_CAUSES,
  type AttemptReason,
  attemptMessage,
  EXPIRED_CAUSE,
  UNKNOWN_CAUSE,
} from './lib/deliveries/attempt-reason.ts'
export { type NumberedAttempt, numberAttempts, resendBefore } from './lib/deliveries/attempt-runs.ts'
export type { DeliveriesPage } from './lib/deliveries/deliveries.ts'
export { resendRangeInput } from './lib/deliveries/resend-range-input.ts'
export { type Engine, engineOf, withHooks } from './lib/engine-of.ts'
export { FEED_WAIT_SECONDS, type FeedQuery, type FeedTextsPage } from './lib/events/event-feed.ts'
export type { EventsQuery, EventTextsPage } from './lib/events/event-reading.ts'
export { titleOf } from './lib/events/event-type.ts'
export { createTestEvent, type SentTest, type TestSender } from './lib/events/test-event.ts'
export { type NextFeedPart, STREAM_MS } from './lib/feed/feed-following.ts'
export type { GuardedHooks } from './lib/hooks/hooks.ts'
export { KEY_NAME_LENGTH } from './lib/keys/key-input.ts'
export { keyName } from './lib/keys/key-name.ts'
export { standingOf } from './lib/lanes/standing.ts'
export { carriesPersonalData } from './lib/personal-data/who-may-see.ts'
export type { ApiSubscription } from './lib/subscriptions/api-subscription.ts'
export { apiSubscriptionChanges, secretRotation, testRequest } from './lib/subscriptions/api-subscription-changes.ts'
export { apiSubscriptionInput } from './lib/subscriptions/api-subscription-input.ts'
export { backfillInput } from './lib/subscriptions/backfill-input.ts'
export { changeable, unknownSubscription } from './lib/subscriptions/changeable.ts'
export { type Nameable, subscriptionName, targetName } from './lib/subscriptions/subscription-name.ts'
export {
  DESCRIPTION_LENGTH,
  EVENT_TYPES_COUNT,
  EXTERNAL_REF_LENGTH,
  readKinds,
} from './lib/subscriptions/subscription-rules.ts'
export { lateSince, troubleOf } from './lib/subscriptions/trouble.ts'
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
export { unknownFields } from './lib/validation/unknown-fields.ts'
export { isStorableDate, validationFailed } from './lib/validation/validation.ts'
export { assertWhole } from './lib/validation/whole-number.ts'
export { versionIssue } from './lib/versions/api-version.ts'
export { conversionIssuesOf } from './lib/versions/conversion-issues.ts'
export type { Formats } from './lib/versions/formats.ts'
export { isPreviousType } from './lib/versions/previous-type.ts'
