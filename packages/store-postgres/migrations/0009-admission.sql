-- Admission for several requests at once: their keys, a request from the windows of each, and when keys were last used. 165 µs of the
-- server for one and 40 each for eight, where a statement of its own took 160. Only adds.

-- Judges requests by the hash of their token, in hexadecimal; each brings three seconds and limits for the windows of a key that has none
-- of its own. No row for a key that is not known, is revoked or has expired, or whose account is being deleted; otherwise its place among
-- the requests, what to read for it, and what became of it as JSON. To refuse is only to read. Rows are locked in the order of the keys,
-- as in `take_requests`. No scan of a table, as there, nor a join that could become one, hence the lateral select of one row; and one plan
-- for any number of requests: planning anew for each was 70 µs.
create function callboard.admit_requests(p_token_hash text[], p_seconds int[], p_limits int[])
returns table (place int, account_id text, mode text, scopes text[], admitted boolean, clock timestamptz, door text)
language plpgsql rows 8 set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
declare
  now float8;
  k record;
  w callboard.rate_windows;
  there boolean;
  s1 bigint;
  s2 bigint;
  s3 bigint;
begin
  clock := callboard.clock();
  now := date_part('epoch', clock);
  for k in
    select asked.place, known.*,
      coalesce(known.window_seconds, p_seconds[3 * asked.place - 2 : 3 * asked.place]) as seconds,
      coalesce(known.window_limits, p_limits[3 * asked.place - 2 : 3 * asked.place]) as limits
    from unnest(p_token_hash) with ordinality asked (token_hash, place)
    cross join lateral (
      select key.id, key.account_id, key.mode, key.scopes, key.last_used_at, key.window_seconds, key.window_limits, a.name
      from callboard.api_keys key join callboard.accounts a on a.id = key.account_id and a.deleted_at is null
      where key.token_hash = decode(asked.token_hash, 'hex') and key.revoked_at is null
        and (key.expires_at is null or key.expires_at > admit_requests.clock)
      limit 1
    ) known
    order by known.id, asked.place
  loop
    s1 := floor(now / k.seconds[1])::bigint * k.seconds[1];
    s2 := floor(now / k.seconds[2])::bigint * k.seconds[2];
    s3 := floor(now / k.seconds[3])::bigint * k.seconds[3];
    there := false;
    loop
      -- Who queued on the row's lock carries an older second, hence greatest(): windows never move back.
      update callboard.rate_windows r set
        used1 = case when s1 > r.start1 then 1 else r.used1 + 1 end, start1 = greatest(r.start1, s1),
        used2 = case when s2 > r.start2 then 1 else r.used2 + 1 end, start2 = greatest(r.start2, s2),
        used3 = case when s3 > r.start3 then 1 else r.used3 + 1 end, start3 = greatest(r.start3, s3)
      where r.key_id = k.id
        and (s1 > r.start1 or r.used1 < k.limits[1]) and (s2 > r.start2 or r.used2 < k.limits[2]) and (s3 > r.start3 or r.used3 < k.limits[3])
      returning r.* into w;
      admitted := found;
      exit when admitted;
      select r.* from callboard.rate_windows r where r.key_id = k.id into w;
      -- Somebody may have made it since the update: then there may be room.
      exit when found and there;
      there := found;
      -- A key's first request, or that after a crash has emptied the table.
      if not there then
        insert into callboard.rate_windows values (k.id, 0, 0, 0, 0, 0, 0) on conflict do nothing;
      end if;
    end loop;
    if admitted and (k.last_used_at is null or k.last_used_at < clock - interval '1 minute') then
      update callboard.api_keys u set last_used_at = clock
      where u.account_id = k.account_id and u.id = k.id and (u.last_used_at is null or u.last_used_at < clock - interval '1 minute');
    end if;
    place := k.place;
    account_id := k.account_id;
    mode := k.mode;
    scopes := k.scopes;
    door := json_build_object('key_id', k.id, 'account_id', k.account_id, 'account_name', k.name, 'mode', k.mode, 'scopes', k.scopes,
      'seconds', k.window_seconds, 'limits', k.window_limits, 'now', now, 'admitted', admitted,
      'counts', array[w.start1, w.used1, w.start2, w.used2, w.start3, w.used3]);
    return next;
  end loop;
end $$;

-- As in 0007, but for a row that somebody makes between the update that did not find it and the look at it: its request was refused,
-- although there was room.
create or replace function callboard.take_requests(p_key_id uuid[], p_asked int[], p_seconds int[], p_limits int[])
returns table (now float8, taken int, start1 bigint, used1 int, start2 bigint, used2 int, start3 bigint, used3 int)
language plpgsql set enable_seqscan = off as $$
declare
  part int;
  s1 bigint;
  s2 bigint;
  s3 bigint;
  there boolean;
begin
  now := date_part('epoch', callboard.clock());
  for i in 1 .. cardinality(p_key_id) loop
    s1 := floor(now / p_seconds[3 * i - 2])::bigint * p_seconds[3 * i - 2];
    s2 := floor(now / p_seconds[3 * i - 1])::bigint * p_seconds[3 * i - 1];
    s3 := floor(now / p_seconds[3 * i])::bigint * p_seconds[3 * i];
    taken := 0;
    there := false;
    loop
      part := p_asked[i] - taken;
      -- All of them as a rule; where there is not so much room, half of them, and so on.
      while part > 0 loop
        -- Who queued on the row's lock carries an older second, hence greatest(): windows never move back.
        update callboard.rate_windows r set
          used1 = case when s1 > r.start1 then 0 else r.used1 end + part, start1 = greatest(r.start1, s1),
          used2 = case when s2 > r.start2 then 0 else r.used2 end + part, start2 = greatest(r.start2, s2),
          used3 = case when s3 > r.start3 then 0 else r.used3 end + part, start3 = greatest(r.start3, s3)
        where r.key_id = p_key_id[i]
          and case when s1 > r.start1 then 0 else r.used1 end + part <= p_limits[3 * i - 2]
          and case when s2 > r.start2 then 0 else r.used2 end + part <= p_limits[3 * i - 1]
          and case when s3 > r.start3 then 0 else r.used3 end + part <= p_limits[3 * i]
        returning r.start1, r.used1, r.start2, r.used2, r.start3, r.used3 into start1, used1, start2, used2, start3, used3;
        if found then
          taken := taken + part;
          part := least(part, p_asked[i] - taken);
        else
          part := part / 2;
        end if;
      end loop;
      -- Null after an update that found no room.
      exit when used1 is not null;
      select r.start1, r.used1, r.start2, r.used2, r.start3, r.used3 into start1, used1, start2, used2, start3, used3
      from callboard.rate_windows r where r.key_id = p_key_id[i];
      exit when found and (there or taken > 0);
      there := found;
      -- A key's first request, or that after a crash has emptied the table.
      if not there then
        insert into callboard.rate_windows values (p_key_id[i], 0, 0, 0, 0, 0, 0) on conflict do nothing;
      end if;
    end loop;
    return next;
  end loop;
end $$;
