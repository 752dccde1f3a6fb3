export type { Accounts } from './lib/accounts.ts'
export { type AddressPolicy, assertAddressPolicy, judgeAddress } from './lib/address-policy.ts'
export type { Admission, Admissions, EventsAdmission } from './lib/admission.ts'
export type { AttemptReason } from './lib/attempt-reason.ts'
export { BREAKER_THRESHOLD, breakerPause, failuresAfter, type LaneVisit } from './lib/breaker.ts'
export {
  type Callboard,
  type CallboardOptions,
  createCallboard,
  type Events,
  type Health,
} from './lib/callboard.ts'
export {
  type Catalog,
  defineCatalog,
  defineEventType,
  type EventData,
  type EventType,
  type EventTypeDefinition,
  type EventTypeName,
  type ListedEventType,
} from './lib/catalog.ts'
export type {
  AttemptsPage,
  Deliveries,
  DeliveriesPage,
  NamedEvent,
  ResentRangeStep,
} from './lib/deliveries.ts'
export { ERASED_FINGERPRINT } from './lib/erased-fingerprint.ts'
export type { Erasure } from './lib/erasure.ts'
export {
  CallboardError,
  type CallboardErrorOptions,
  type ErrorCode,
  type Issue,
  isCallboardError,
} from './lib/errors.ts'
export { type EventsPage, type EventsQuery, PAGE_LIMIT } from './lib/event-reading.ts'
export type { ExhaustedDelivery, GuardedHooks, Hooks, LogEntry } from './lib/hooks.ts'
export { createId, type IdOptions, type IdPrefix, idFromUuid, isId, uuidFromId } from './lib/id.ts'
export type { Integration } from './lib/integrations.ts'
export { canonicalAddress } from './lib/ip-address.ts'
export type { SecretKeys } from './lib/key-ring.ts'
export type { IssuedKey, IssueKeyInput, Keys, RotateKeyOptions } from './lib/keys.ts'
export { HEALTH_HOURS, hourOf, lastHours } from './lib/last-hours.ts'
export { MODES, type Mode } from './lib/mode.ts'
export type {
  MadeSubscription,
  OwnSubscriptionChanges,
  OwnSubscriptionInput,
  OwnSubscriptions,
  RotateSecretOptions,
  SubscriptionOwner,
} from './lib/own-subscriptions.ts'
export type { PageQuery } from './lib/page-cursors.ts'
export type { Account, AccountStore } from './lib/ports/account-store.ts'
export type {
  Admission as StoreAdmission,
  AdmissionRequest,
  AdmissionStore,
  Caller,
  CallerPageRequest,
} from './lib/ports/admission-store.ts'
export type {
  AttemptPageRequest,
  DeliveryLog,
  DeliveryPage,
  DeliveryPageRequest,
  DeliveryRecord,
  DeliveryState,
  EndedState,
  EventRef,
  LastAttempt,
  LoggedAttempt,
  ResendableState,
  ResendOutcome,
  ResendRange,
  ResentStep,
} from './lib/ports/delivery-log.ts'
export type {
  AttemptOutcome,
  AttemptRecord,
  DeliveryBacklog,
  DeliveryGauges,
  DeliveryStore,
  FailingRule,
  LaneLease,
  LaneSettlement,
  LaneStanding,
  LeasedDelivery,
  LeasedLane,
  LeaseRequest,
  RetryRecord,
  SequencedLanes,
  SettleResult,
} from './lib/ports/delivery-store.ts'
export type {
  EventDraft,
  EventPage,
  EventPageRequest,
  EventPosition,
  EventStore,
  EventText,
  PublishOutcome,
  StoredEvent,
  Subject,
} from './lib/ports/event-store.ts'
export {
  COUNTED_RETRIES,
  COUNTED_SUBSCRIPTIONS,
  type HealthStore,
  type HourCount,
  type OverviewPage,
  type OverviewRequest,
  type OverviewState,
  type SubscriptionCounts,
  type SubscriptionHealth,
  type SubscriptionWithHealth,
} from './lib/ports/health-store.ts'
export type { KeyRecord, KeyStore, NewKey, RotateKey } from './lib/ports/key-store.ts'
export type {
  ErasableEvent,
  ErasedEvent,
  ErasureCounts,
  ErasureWalk,
  EventKey,
  ExpiredRange,
  MaintenanceStore,
  PersonRef,
  RetentionCounts,
  RetentionHorizons,
  RetentionStep,
} from './lib/ports/maintenance-store.ts'
export type { RateDecision, RateLimiter } from './lib/ports/rate-limiter.ts'
export type { Store } from './lib/ports/store.ts'
export type { Finding, StoreSurvey, WaitingLanes, WorkSurvey } from './lib/ports/store-survey.ts'
export type {
  CreateOutcome,
  DisabledReason,
  NewSubscription,
  Ordering,
  SealedSecret,
  SealedSubscription,
  SubscriptionChanges,
  SubscriptionRecord,
  SubscriptionRef,
  SubscriptionSource,
  SubscriptionStore,
} from './lib/ports/subscription-store.ts'
export type { PublishedEvent, PublishOptions } from './lib/publish.ts'
export type { AnyPublishInput, PublishInput } from './lib/publish-input.ts'
export {
  DEFAULT_RATE_LIMITS,
  type RateLimits,
  type RateWindow,
  type RateWindowState,
  retryAfterSeconds,
} from './lib/rate-limit.ts'
export type { Retention, RetentionOptions, RetentionReport, RunRetentionOptions } from './lib/retention.ts'
export {
  DEFAULT_RETRY_SCHEDULE,
  FAILING_RULE,
  longestSchedule,
  nextRetryDelay,
  parseRetryAfter,
  type RetryQuestion,
} from './lib/retry-policy.ts'
export type { RewrapOptions, RewrapReport } from './lib/rewrap-secrets.ts'
export { isScope, SCOPES, type Scope } from './lib/scopes.ts'
export type { SecretBox } from './lib/secret-box.ts'
export { changeShare, isInShare, type ShareChange, type Stretch } from './lib/share.ts'
export type { OverviewQuery, SubscriptionsOverview } from './lib/subscription-health.ts'
export { type SubscriptionInput, subscriptionInput } from './lib/subscription-input.ts'
export { DESCRIPTION_LENGTH, EVENT_TYPES_COUNT, EXTERNAL_REF_LENGTH } from './lib/subscription-rules.ts'
export type { Subscriptions, SubscriptionWithSecret } from './lib/subscriptions.ts'
export {
  type ParsedTargetUrl,
  parseTargetUrl,
  TARGET_URL_MESSAGE,
  type TargetUrl,
  type TargetUrlRefusal,
} from './lib/target-url.ts'
export type { SeenAttempt, SeenEvent, SeenOutcome, SeenRecord, SeenRequest, Telemetry } from './lib/telemetry.ts'
export {
  createTestEvent,
  type SentTest,
  type TestEvent,
  type TestEventInput,
  type TestSender,
} from './lib/test-event.ts'
