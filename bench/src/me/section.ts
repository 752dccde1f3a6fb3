import { spread } from '../lib/format.ts'
import { startHelper } from '../lib/helper.ts'
import { loadHttp } from '../lib/http-load.ts'
import { alternate, ratios } from '../lib/rounds.ts'
import type { Section } from '../lib/section.ts'
import type { BareReplies } from './bare-server.ts'
import type { CallboardReplies } from './callboard-server.ts'

const CONNECTIONS = 16
const ROUND_MS = 2000

export const section: Section = {
  title: '`GET /v1/me`, memory store',
  async measure({ quick }) {
    const ours = startHelper<CallboardReplies>(new URL('./callboard-server.ts', import.meta.url))
    const theirs = startHelper<BareReplies>(new URL('./bare-server.ts', import.meta.url))
    const { port, token } = await ours.ask('serve')
    const barePort = await theirs.ask('serve')
    const asked = Array.from({ length: CONNECTIONS }, () => ({ path: '/v1/me', token }))
    const perSecond = async (port: number): Promise<number> =>
      (await loadHttp(port, asked, quick ? ROUND_MS / 4 : ROUND_MS, { awake: true })).perSecond
    const reached = await alternate({ callboard: () => perSecond(port), bare: () => perSecond(barePort) }, 5)
    await Promise.all([ours.stop(), theirs.stop()])
    return {
      figures: [{ what: 'requests/s', rounds: reached.callboard }],
      goals: [
        {
          what: 'requests/s ÷ a bare IttyRouter',
          atLeast: 0.7,
          guard: 0.3,
          rounds: ratios(reached.callboard, reached.bare),
        },
      ],
      tables: [
        {
          columns: ['', 'requests/s'],
          rows: Object.entries(reached).map(([name, rounds]) => [name, spread(rounds)]),
        },
      ],
      method:
        '`GET /v1/me` with the memory store, one key on 16 connections. The bare router only returns the same body.',
      missed:
        'A request takes 11.7 µs of CPU with the bare router and 16.8 with Callboard, whose handler takes 4.7 (at best, ' +
        '2026-11-25). Of these, the token, the request id and the rate limits take 1.5; the rest is spread over routing, ' +
        'promises and garbage collection.',
    }
  },
}
