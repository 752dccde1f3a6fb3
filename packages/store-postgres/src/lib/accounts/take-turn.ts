/**
 * PL/pgSQL with which a pass over the outbox takes its turn: it locks the sequencer's row until the end of the
 * transaction. If another pass has the turn, the function returns no row.
 */
export const TAKE_TURN: string = `
perform from callboard.sequencer where (select pg_try_advisory_xact_lock(turn)) for update;
if not found then
  return;
end if;`
