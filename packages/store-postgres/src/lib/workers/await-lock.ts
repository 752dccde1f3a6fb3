import type { DatabaseFunction } from '../sql/database-function.ts'

/**
 * Waits until nobody holds an advisory lock, for at most five seconds. Returns whether nobody holds it.
 *
 * It waits in steps that are shorter than the default of `deadlock_timeout`, because after that time the server logs a
 * waiting session if `log_lock_waits` is on. It catches the error of each step, because the server would log that too.
 * A wait holds back vacuum, so none is longer.
 */
export const awaitLockFunction: DatabaseFunction = {
  name: 'await_lock',
  text: `
create or replace function callboard.await_lock(key bigint) returns boolean
language plpgsql set lock_timeout = '900ms' as $$
begin
  for step in 1 .. 5 loop
    begin
      perform pg_advisory_xact_lock_shared(key);
      return true;
    exception when lock_not_available then
    end;
  end loop;
  return false;
end $$`,
}
