export type { AnyVersion, CallboardEvent, WithPersonalData } from '@callboard/signature'
export type { Backfill, Backfills } from './lib/backfills.ts'
export {
  CallboardApiError,
  type CallboardApiErrorCode,
  type CallboardApiErrorOptions,
  type FieldIssue,
} from './lib/callboard-api-error.ts'
export {
  type Client,
  createClient,
  type EventType,
  type EventTypeList,
  type KeyInformation,
  type SourceAddresses,
} from './lib/client.ts'
export type { CallOptions, ClientOptions, Fetch } from './lib/client-options.ts'
export type {
  Attempt,
  Deliveries,
  DeliveriesQuery,
  Delivery,
  DeliveryState,
  ResendRange,
  ResentDeliveries,
  ResentDelivery,
} from './lib/deliveries.ts'
export type { FeedPage, FeedQuery } from './lib/event-feed.ts'
export type { Events, EventsQuery } from './lib/events.ts'
export type { FollowOptions } from './lib/follow.ts'
export type { List, ListQuery, Page } from './lib/list.ts'
export type {
  NewSubscription,
  RotatedSecret,
  SecretRotation,
  SentTest,
  Subscription,
  SubscriptionChanges,
  SubscriptionDetails,
  SubscriptionHealth,
  Subscriptions,
  SubscriptionsQuery,
} from './lib/subscriptions.ts'
