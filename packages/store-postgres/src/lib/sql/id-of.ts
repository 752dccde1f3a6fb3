/**
 * SQL for the lowest id that a process could have generated at the given time, so that a read in key order can stop
 * there. Test the row's time column too, which the database sets: the clocks of the processes that generate ids differ.
 */
export const idOf = (time: string): string =>
  `(
        lpad(to_hex(greatest(0, floor(extract(epoch from ${time}) * 1000))::bigint), 12, '0') || '00000000000000000000'
      )::uuid`
