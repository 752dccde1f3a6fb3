-- #region own
create table customers (id text primary key, name text not null);
create table webhook_endpoints (
  id text primary key,
  customer_id text not null references customers,
  url text not null,
  secret text not null,
  events text[] not null,
  label text,
  enabled boolean not null default true,
  created_at timestamptz not null default now()
);
create table webhook_outbox (
  id bigint generated always as identity primary key,
  customer_id text not null references customers,
  event text not null,
  data jsonb not null,
  created_at timestamptz not null default now(),
  sent_at timestamptz
);
-- #endregion
-- #region switches
create table webhook_switches (
  customer_id text primary key references customers,
  sender text not null default 'outbox' check (sender in ('outbox', 'moving', 'callboard'))
);
-- Every customer needs a row, because a row that does not exist cannot be locked. Insert it with each new customer.
insert into webhook_switches (customer_id) select id from customers;
-- #endregion
