/**
 * SQL for the first retry of a subject, for which the subject's later events wait. Join it laterally, or test whether
 * it exists. `lane` is the alias of a row with a lane's key. Like `eventByKey`, it selects the first row in an order
 * that only one index provides.
 */
export function firstOfSubject(lane: string, subject: string): string {
  const key = `${lane}.account_id, ${lane}.mode, ${lane}.subscription_id, ${subject}`
  return `(
  select at.* from (
    select x.*, x.ctid as row_id from callboard.retries x
    where not x.manual and (x.account_id, x.mode, x.subscription_id, x.subject) >= (${key})
    order by x.account_id, x.mode, x.subscription_id, x.subject, x.position limit 1
  ) at
  where (at.account_id, at.mode, at.subscription_id, at.subject) = (${key})
)`
}
