import type { Table } from '../lib/section.ts'

/**
 * Profiles of one day. They take other tools than a run of this section has: `perf` for the processes,
 * `pg_stat_statements` for Postgres. Measured on 2026-11-24 on two cores of an AMD EPYC, in processes that had already
 * sent 100,000 requests. Such processes need about a quarter less CPU time than the young ones of this section.
 */
export const PROFILE: readonly Table[] = [
  {
    columns: ['CPU µs per request in the own process', 'recording raw loop', 'bare queue', 'Callboard'],
    rows: [
      ['kernel: sockets, epoll, scheduling', '7.3', '7.6', '9.5'],
      ['TLS', '2.5', '2.7', '4.9'],
      ['the transport: HTTP, connections, deadlines', '4.8', '6.1', '8.2'],
      ['signing', '1.1', '1.3', '1.7'],
      ['Node: sockets, streams, timers, memory', '3.9', '4.7', '5.7'],
      ['promises and microtasks', '0.8', '1.7', '2.3'],
      ['garbage collection and compiling', '2.1', '3.7', '4.8'],
      ['`pg`', '0.5', '1.1', '1.6'],
      ['reading leased rows, building parameters', '–', '1.0', '3.1'],
      ['scheduling and leasing', '–', '–', '2.3'],
      ['visits, attempts, settlements', '–', '–', '2.2'],
      ['ids, rendering, secrets', '–', '–', '1.0'],
      ['all', '23', '30', '47'],
    ],
  },
  {
    columns: ['execution time in Postgres, µs per request', 'recording raw loop', 'bare queue', 'Callboard'],
    rows: [
      ['recording attempts, settling', '3.8', '3.6', '21.2'],
      ['leasing', '–', '2.3', '14.6'],
      ['searching for due lanes', '–', '–', '0.7'],
    ],
  },
]

export const PROFILE_NOTES: readonly string[] = [
  'The last two tables were measured once, on 2026-11-24, with `perf` and `pg_stat_statements`; a run of this ' +
    'section does not renew them. The processes had already sent 100,000 requests, so they needed about a quarter ' +
    'less CPU time than the young ones of the other tables. The figures vary by 1 µs and more. The bare queue had 64 lanes ' +
    'instead of 32. About 10 of the 24 µs that the worker takes beyond the ' +
    'raw loop are in code that both run (kernel, TLS, transport, signing, Node). One reason why it is slower in ' +
    'the worker: up to 640 requests are in flight instead of 64. With 640 in flight, ten to one target, the raw loop ' +
    'itself went from 42 to 58 µs in all processes together. Fewer lanes at a time do not help, because they make ' +
    'the batches smaller: with 24 lanes instead of 64, the worker took 46 instead of 52 µs, but Postgres 43 instead ' +
    'of 36.',
  'In Postgres, the settling of ten deliveries of one lane takes 950 µs if the statement has one lane, and 150 µs if ' +
    'it has 48; leasing them takes 600 and 90 µs. Of the 15 µs per delivery in a large batch, 6 insert the attempt ' +
    'with its two indexes, and 1 to 3.5 lock the event, so that the response is not kept if the event is being erased.',
  'Several workers that drain the same 200 lanes share the batches. With one, two and four workers, a statement ' +
    'leased 17, 7.5 and 2 lanes and settled 36, 17 and 5. Each worker also has its own connections, and opens more ' +
    'when its requests wait longer: in all, one handshake per 250, 47 and 21 deliveries, at 0.7 ms on either side. ' +
    'All processes together took 114, 176 and 421 µs per delivery on two cores. Of the 307 µs more with four workers, ' +
    'about 60 are handshakes.',
]
