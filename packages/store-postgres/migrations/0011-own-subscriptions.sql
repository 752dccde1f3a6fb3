-- Subscriptions that an account's people make and change outside the API. Only adds: workers of the version before go on, and as long as
-- some run, they go by `event_types` alone: what waited when a type was taken from a subscription they pass over.

alter table callboard.subscriptions
  add column description   text,                       -- what the account's people call it
  -- Once the event types were changed: the places of the feed in (after, through] whose events of a type are the subscription's.
  -- Null: those of event_types, without bounds.
  add column share_types   text[],
  add column share_after   bigint[],
  add column share_through bigint[];                   -- null: still so
