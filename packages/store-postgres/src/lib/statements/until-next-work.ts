import type { Statement } from './statement.ts'

const firstWake = (state: string): string => `(
      select wake_at from callboard.lanes
      where ${state} and wake_at is not null order by wake_at, subscription_id limit 1
    )`

/** Reads only the first entry of the outbox, of the index of due lanes and of the index of leased lanes. */
export const untilNextWork: Statement<{ ms: number | null }> = {
  name: 'until-next-work',
  text: `
select case when exists (select from callboard.outbox) then 0 else (
  select greatest(0, ceil(extract(epoch from n.wake_at - callboard.clock()) * 1000))
  from (
    select least(
    ${firstWake(`state <> 'leased'`)},
    ${firstWake(`state = 'leased'`)}
    ) as wake_at
  ) n where n.wake_at is not null
) end::float8 as ms`,
}
