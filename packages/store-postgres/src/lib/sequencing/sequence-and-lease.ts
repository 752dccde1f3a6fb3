import { isLane, newestLane } from '../lanes/lane-key.ts'
import { RAISED_EPOCH } from '../lanes/leases.ts'
import { JOIN_CONFIRMING_KEY, STANDING_COLUMNS } from '../lanes/standing.ts'
import type { DatabaseFunction } from '../sql/database-function.ts'
import { eventByKey } from '../sql/event-by-key.ts'
import { indented } from '../sql/indented.ts'
import { rowByKey } from '../sql/row-by-key.ts'
import type { Statement } from '../sql/statement.ts'
import { wasBefore } from '../subscriptions/was-before.ts'
import { allListed, anyEnded, notEnded, stillRunning } from './running-transactions.ts'
import { LOCK_SEQUENCER } from './sequence-outbox.ts'

/** The result of a pass over the outbox, with the open transactions whose events it could not see. */
export interface SequenceRow {
  /**
   * The server's run (see `outbox-mark.ts`). A later run may give out the same numbers in the outbox again. Null on a
   * standby.
   */
  run: string | null
  /** How many events were sequenced. */
  n: number
  /**
   * The highest number in the outbox that the pass saw; null: unknown. If an event with a lower number is still
   * unsequenced, its transaction is in `running`.
   */
  through: number | null
  running: string[]
  /** Those transactions in the parameters `pending` and `awaited` that have not ended. */
  unended: string[]
  /** Whether the pass began at the outbox's start; otherwise it began after the mark. */
  whole: boolean
  /** Whether lanes that this call did not lease may have work. */
  rest: boolean
  /** Whether this call may have left events for the next call. */
  more: boolean
  /** A `HandedOverLane`, or the lease alone, as JSON; null if no lane was leased. */
  lane: string | null
}

export interface SequenceParameters {
  /** Part of the key of the sequencer's lock, so that each schema has its own. */
  readonly schema: string
  readonly limit: number
  /**
   * `run` is the server's run that the mark belongs to, and `mark` is the mark (see `outbox-mark.ts`). `pending` and
   * `awaited` are the open transactions that this mark and the next one wait for.
   */
  readonly run: string | null
  readonly mark: number
  readonly pending: readonly string[]
  readonly awaited: readonly string[]
  readonly worker: string
  readonly call: number
  readonly lanes: number
  readonly leaseMs: number
  readonly leaveOut: readonly string[]
  readonly leaveOutHosts: readonly string[]
}

/**
 * Sequences events and may lease lanes. Returns no row if another process is sequencing. If the outbox is empty,
 * nothing is written.
 */
export const sequence: Statement<SequenceRow, SequenceParameters> = {
  name: 'sequence',
  text: `
select run::text as run, n, through::float8 as through, running::text[] as running, unended::text[] as unended, whole,
  rest, more, lane::text as lane
from callboard.sequence_and_lease(
  hashtextextended('callboard sequencer ' || :schema::text, 0), :limit::int, :run::uuid, :mark::bigint, :pending::text[]::xid8[],
  :awaited::text[]::xid8[], :worker::text, :call::bigint, :lanes::int, :leaseMs::float8, :leaveOut::text[], :leaveOutHosts::text[]
)`,
}

const MATCHING_SUBSCRIPTION = rowByKey('subscriptions', {
  account_id: 't.account_id',
  mode: 't.mode',
  id: 't.subscription_id',
})

/**
 * The size of Postgres' buffer for an answer. The server sends an answer that fits into it after the commit, so a
 * client that stops reading keeps no lane locked.
 */
const BUFFER_BYTES = 8_192
/** The size of a lane without its event and signatures. */
const LANE_BYTES = 1_024

/** How many earlier runs are kept. Cursors of the feed from before these runs count as lost. */
const KEPT_RUNS = 100

const CURRENT_RUN = '(select r.id from callboard.server_runs r where r.started_at = pg_postmaster_start_time())'

/**
 * Does what `sequence_outbox` does. If a single event is waiting (at 50 events/s almost always), it also leases the
 * lanes that this event wakes, if they are ready: idle, not slow, not left out by the caller, with no other work and
 * not ordered by subject. If more than `p_lanes` lanes are ready, it leases none. One round trip and one commit take
 * 1.7 ms; two of each took 3.0.
 *
 * If two events of different accounts are waiting, it does this for the first and leaves the second to the next call.
 * Two events of one account are sequenced together, because they may wake the same lane: if it were leased for the
 * first event, the second would have to wait.
 *
 * Returns a row for each lane it leased; if it leased none, one row without a lane; if another process is sequencing,
 * no row. A lane comes with its event if the whole answer fits into the server's buffer; otherwise the caller reads it
 * with `readLeases`. It is one JSON value, because more than twenty columns cost 0.1 ms even when no event is waiting.
 * `rest` says whether lanes that it did not lease may have been woken. `run` is the server's run; a mark of another run
 * is ignored.
 */
export const sequenceAndLeaseFunction: DatabaseFunction = {
  name: 'sequence_and_lease',
  text: `
create or replace function callboard.sequence_and_lease(
  lock_key bigint, most int, marked_run uuid, mark bigint, pending xid8[], awaited xid8[],
  p_worker text, p_call bigint, p_lanes int, p_lease_ms float8, p_leave_out text[], p_leave_out_hosts text[]
) returns table (
  run uuid, n int, through bigint, running xid8[], unended xid8[], whole boolean, rest boolean, more boolean, lane json
)
language plpgsql
set enable_seqscan = off set plan_cache_mode = force_generic_plan set lock_timeout = '5s' as $$
#variable_conflict use_column
declare
  looked pg_snapshot;
  own bigint[];
  accounts text[];
  seen bigint;
  next_xid bigint;
  own_xid bigint;
  event record;
begin
  -- A standby cannot read unlogged tables.
  if not pg_is_in_recovery() then
    run := ${CURRENT_RUN};
    if run is null then
      delete from callboard.server_runs where started_at in (
        select r.started_at from callboard.server_runs r order by r.started_at desc offset ${KEPT_RUNS}
      );
      insert into callboard.server_runs values (pg_postmaster_start_time(), gen_random_uuid()) on conflict do nothing;
      run := ${CURRENT_RUN};
    end if;
  end if;
  if run is distinct from marked_run then
    mark := 0;
    pending := '{}';
  end if;
  -- One statement, so that all values come from one snapshot. The highest number in the outbox becomes "seen". If the
  -- snapshot does not show a row with a lower number, it lists the row's transaction as running, or the transaction
  -- started later.
  select pg_current_snapshot(),
    coalesce(array_agg(f.queued order by f.queued), '{}'), array_agg(f.account_id order by f.queued),
    (select o.queued from callboard.outbox o order by o.queued desc limit 1)
  from (select o.queued, o.account_id from callboard.outbox o where o.queued > mark order by o.queued limit 3) f
  into looked, own, accounts, seen;
  more := cardinality(own) > 1;
  if cardinality(own) > 2 or (more and (p_lanes = 0 or accounts[1] = accounts[2]))
    or ${anyEnded('pending', 'looked')}
  then
    for n, through, running, unended, whole in
      select * from callboard.sequence_outbox(lock_key, most, mark, pending, awaited)
    loop
      rest := n > 0;
      more := n >= most;
      return next;
    end loop;
    return;
  end if;
  whole := mark = 0;
  unended := ${notEnded('pending || awaited', 'looked')};
  if cardinality(own) = 0 then
    n := 0;
    rest := false;
    running := '{}';
    return next;
    return;
  end if;

  -- The statements below take their snapshots once the lock is granted, so they see every lane created before.
  ${indented(2, LOCK_SEQUENCER)}
  with taken as (
    delete from callboard.outbox o where o.queued = own[1]
    returning o.account_id, o.mode, o.type, o.event_id
  ),
  moved as (
    update callboard.sequencer s set position = s.position + 1 where exists (select from taken)
    returning s.position
  ),
  fed as (
    insert into callboard.feed (account_id, mode, position, type, event_id)
    select t.account_id, t.mode, m.position, t.type, t.event_id from taken t cross join moved m
    returning account_id, mode, position, type, event_id
  )
  select f.*, e.published_at, e.xid, e.body, e.patch, e.fingerprint, e.trace into event
  from fed f left join lateral ${eventByKey('f.account_id', 'f.mode', 'f.event_id')} e on true;
  if not found then
    return;
  end if;
  n := 1;
  next_xid := pg_snapshot_xmax(looked)::text::bigint;
  own_xid := pg_current_xact_id()::text::bigint;
  through := case when ${allListed('next_xid', 'own_xid')} then case when more then own[1] else seen end end;
  running := ${stillRunning('looked', 'next_xid', 'own_xid')};

  return query
    -- Each row is looked up by its full key, because with joins, the planner read the whole account once for each lane.
    with matched as materialized (
      select t.account_id, t.mode, t.subscription_id, s.own_id, s.ordering, s.target_url, s.api_version, s.secret,
        s.former_secret_expires_at, s.signatures::text as signatures,
        case when s.former_secret_expires_at > callboard.clock() then s.former_secret end as former_secret,
        ${indented(8, STANDING_COLUMNS)}
      from callboard.subscription_types t
      cross join lateral ${MATCHING_SUBSCRIPTION} s
      ${JOIN_CONFIRMING_KEY}
      where t.account_id = event.account_id and t.mode = event.mode and t.type = event.type
    ),
    -- Lanes are locked in key order. Whether a lane is ready is read once it is locked, because a settle may have left
    -- a retry in the meantime.
    touched as materialized (
      select m.*, x.epoch,
        l.state = 'idle' and l.wake_at is null and l.head <= l.settled_through and not l.slow and m.ordering = 'none'
          and l.account_id <> all (p_leave_out) and l.host <> all (p_leave_out_hosts) as ready
      from matched m
      cross join lateral ${newestLane({ accountId: 'm.account_id', mode: 'm.mode', id: 'm.subscription_id' })} x
      join callboard.lanes l on ${isLane('l', 'm', '>= x.epoch')}
      where not ${wasBefore('event', 'x')}
      order by l.account_id, l.mode, l.subscription_id for update of l
    ),
    chosen as materialized (
      select t.*, t.ready and n.ready <= p_lanes as leased,
        n.ready * (
          ${LANE_BYTES} + coalesce(octet_length(t.signatures), 0)
          + coalesce(octet_length(event.body), 0) + coalesce(octet_length(event.patch), 0)
        ) <= ${BUFFER_BYTES} as fits
      from touched t cross join (select count(*) filter (where ready) as ready from touched) n
    ),
    woken as (
      update callboard.lanes l
      set head = event.position,
        state = case when c.leased then 'leased' else l.state end,
        worker = case when c.leased then p_worker else l.worker end,
        lease_call = case when c.leased then p_call else l.lease_call end,
        epoch = case when c.leased then ${RAISED_EPOCH} else l.epoch end,
        claims = case when c.leased then least(l.claims + 1, 100) else l.claims end,
        room = case when c.leased then 1 else l.room end,
        wake_at = case
          when c.leased then callboard.clock() + p_lease_ms * interval '1 ms'
          when l.state = 'idle' then least(l.wake_at, callboard.clock())
          else l.wake_at
        end
      from chosen c where ${isLane('l', 'c', '>= c.epoch')}
      returning case when c.leased and not c.fits then json_build_object(
        'account_id', l.account_id, 'mode', l.mode, 'subscription_id', l.subscription_id, 'epoch', l.epoch
      ) when c.leased then json_build_object(
        'account_id', l.account_id, 'mode', l.mode, 'subscription_id', l.subscription_id, 'own_id', c.own_id,
        'epoch', l.epoch, 'claims', l.claims, 'settled_through', l.settled_through, 'head', l.head,
        'breaker_failures', l.breaker_failures,
        'target_url', c.target_url, 'api_version', c.api_version, 'secret', c.secret, 'former_secret', c.former_secret,
        'former_secret_expires_at', extract(epoch from c.former_secret_expires_at) * 1000, 'signatures', c.signatures,
        'deliverable', c.deliverable, 'key_ended', c.key_ended, 'personal_data', c.personal_data,
        'event_id', event.event_id, 'type', event.type, 'body', event.body,
        'patch', case when c.personal_data then event.patch end,
        'fingerprint', event.fingerprint, 'trace', event.trace
      ) end as lane
    )
    select run, n, through, running, unended, whole, exists (select from chosen c where not c.leased), more,
      w.lane
    from woken w where w.lane is not null;
  if not found then
    rest := true;
    return next;
  end if;
end $$`,
}
