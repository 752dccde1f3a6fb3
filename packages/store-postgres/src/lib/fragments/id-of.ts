/**
 * SQL for the lowest id that a process could have generated at the given time. Ids begin with a time, so a read in key
 * order can stop at this id, before it reaches newer rows. But the clocks of processes differ, so a row's time column,
 * which the database sets, decides whether the row is old.
 */
export const idOf = (time: string): string =>
  `(
        lpad(to_hex(greatest(0, floor(extract(epoch from ${time}) * 1000))::bigint), 12, '0') || '00000000000000000000'
      )::uuid`
