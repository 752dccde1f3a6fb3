-- The rate limiter by itself, for several keys at once. Steps of their own beat one statement that locks, counts and answers for a
-- set: 0.25 against 0.5 ms for one key, 0.45 against 0.62 for eight, the round trip of 0.15 included. Only adds.

-- Takes so many requests from the three windows of each key, or as many as there is room for: how many, and the windows as they
-- stand then. A key has three seconds and three limits. Rows are locked in the order of the keys, so every caller gives them in
-- ascending order. To refuse is only to read. No scan of the table: a session that came when it was small kept the plan for that,
-- and with 1,000 keys since was at 4,000 requests/s, not 14,000.
create function callboard.take_requests(p_key_id uuid[], p_asked int[], p_seconds int[], p_limits int[])
returns table (now float8, taken int, start1 bigint, used1 int, start2 bigint, used2 int, start3 bigint, used3 int)
language plpgsql set enable_seqscan = off as $$
declare
  part int;
  s1 bigint;
  s2 bigint;
  s3 bigint;
begin
  now := date_part('epoch', callboard.clock());
  for i in 1 .. cardinality(p_key_id) loop
    s1 := floor(now / p_seconds[3 * i - 2])::bigint * p_seconds[3 * i - 2];
    s2 := floor(now / p_seconds[3 * i - 1])::bigint * p_seconds[3 * i - 1];
    s3 := floor(now / p_seconds[3 * i])::bigint * p_seconds[3 * i];
    taken := 0;
    loop
      part := p_asked[i];
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
      exit when found;
      -- A key's first request, or that after a crash has emptied the table.
      insert into callboard.rate_windows values (p_key_id[i], 0, 0, 0, 0, 0, 0) on conflict do nothing;
    end loop;
    return next;
  end loop;
end $$;
