import * as laneActs from './lib/lanes/lane-acts.ts'

export {
  DEFAULT_RATE_LIMITS,
  MAX_WINDOW_LEAD_MS,
  type RateWindowState,
} from './lib/admission/rate-limit.ts'
export { BREAKER_THRESHOLD } from './lib/deliveries/breaker.ts'
export { deliveriesPerLease, isSuspected, roomForFresh, TRUSTED_CLAIMS } from './lib/deliveries/claims.ts'
export { type AttemptCount, countAttempts, sumCounts } from './lib/deliveries/count-attempts.ts'
export { accountsToCreate } from './lib/events/accounts-to-create.ts'
export { type IdPrefix, idFromUuid, isId, prefixOf, uuidFromId } from './lib/id.ts'
export { isValidKey } from './lib/keys/is-valid-key.ts'
export { isScope } from './lib/keys/scopes.ts'
export { isHeldBy, isStillHeld, type Lane, newLane, type Retry } from './lib/lanes/lane.ts'
export type { LaneChange } from './lib/lanes/lane-change.ts'
export type { Skip } from './lib/lanes/skipped.ts'
export { standingOf } from './lib/lanes/standing.ts'
export { ERASED_PREFIX, erasedFingerprint, isErased } from './lib/personal-data/erased-fingerprint.ts'
export { carriesPersonalData, keySeesPersonalData } from './lib/personal-data/who-may-see.ts'
export type { NewAccount } from './lib/ports/account-store.ts'
export type { Caller, CallerPageRequest } from './lib/ports/admission-store.ts'
export type { AuditDraft } from './lib/ports/audit-store.ts'
export { CAPS } from './lib/ports/caps.ts'
export type { ReplicaGauges, Unsequenced } from './lib/ports/delivery-gauges.ts'
export {
  type DeliveryPage,
  type FailedAttempt,
  type Published,
  type RangePlace,
  RESENDABLE_STATES,
  type ResendableState,
  type ResendRange,
  type ResentStep,
  UNDELIVERED,
} from './lib/ports/delivery-log.ts'
export {
  ATTEMPT_OUTCOMES,
  type AttemptOutcome,
  type AttemptRecord,
  DELIVERY_STATES,
} from './lib/ports/delivery-record.ts'
export type {
  DeliveryStore,
  HandOverRequest,
  WorkerAttendance,
} from './lib/ports/delivery-store.ts'
export type { DueLane, DuePlace } from './lib/ports/due-lane.ts'
export type {
  EventDraft,
  EventPlace,
  FoundEvent,
  PublishOutcome,
} from './lib/ports/event-store.ts'
export {
  FEED_OVERLAP_MS,
  type FeedPage,
  type FeedPlace,
  type FeedRead,
} from './lib/ports/feed-page.ts'
export {
  ACTIVITY_RANGES,
  type AccountActivity,
  type ActivityRange,
  type AttemptHistory,
  ENOUGH_ATTEMPTS,
  type OverviewState,
  type PeriodCount,
} from './lib/ports/health-store.ts'
export type { KeyPlace, NewKey } from './lib/ports/key-store.ts'
export type {
  FailingRule,
  LaneSettlement,
  RetryRecord,
  SettleResult,
} from './lib/ports/lane-settlement.ts'
export type { LaneLease, LaneStanding, LeasedDelivery, LeasedLane } from './lib/ports/leased-lane.ts'
export {
  type CurrentPaths,
  type ErasableEvent,
  type ErasedEvent,
  type EventKey,
  type ExpiredRange,
  NOTHING_REMOVED,
  type RetentionCounts,
  type RetentionHorizons,
} from './lib/ports/maintenance-store.ts'
export type {
  Finding,
  StoreSurvey,
  WorkSurvey,
} from './lib/ports/store-survey.ts'
export type { EventText, StoredEvent } from './lib/ports/stored-event.ts'
export type { SubscriptionRef } from './lib/ports/subscription-record.ts'
export type {
  BackfillRecord,
  ImportedSubscription,
  ImportOutcome,
  NewSubscription,
  SubscriptionAct,
} from './lib/ports/subscription-store.ts'
export type { RequestOf, ResultOf, Store } from './lib/ports/whole-store.ts'
export { changedFields } from './lib/subscriptions/changed-fields.ts'
export { FAILING_RULE } from './lib/subscriptions/failing-rule.ts'
export { type HistoryRange, lastPeriods, PERIODS } from './lib/subscriptions/last-periods.ts'
export { changeSelections, isSelected, selectionsOf } from './lib/subscriptions/selections.ts'
export { type SignatureFormat, STANDARD_SIGNATURES, unlessStandard } from './lib/subscriptions/signature-formats.ts'
export { isSubscriptionId } from './lib/subscriptions/subscription-id.ts'
export { AUTOMATIC_REASONS, DISABLED_REASONS, ENABLES_FROM, REPLACES } from './lib/subscriptions/who-may-enable.ts'
export { targetHost } from './lib/targets/target-host.ts'
export { LAST_TIME } from './lib/validation/validation.ts'
export { ATTEND_MS, SILENCE_MS } from './lib/workers/attendance.ts'
export {
  combineReports,
  type HeldBackHost,
  type LearntLimits,
  MOST_HELD_BACK,
  type PostponedLanes,
  readLearntLimits,
  readWorkerReport,
  type WorkerDetails,
  type WorkerReport,
} from './lib/workers/worker-report.ts'
export { laneActs }
