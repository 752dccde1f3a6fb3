import { spread } from '../lib/format.ts'
import { loadHttp } from '../lib/http-load.ts'
import { startServer } from '../lib/http-server.ts'
import { alternate, ratios } from '../lib/rounds.ts'
import type { Section } from '../lib/section.ts'

const CONNECTIONS = 16
const ROUND_MS = 2000

export const section: Section = {
  title: '`GET /v1/me`, memory store',
  async measure({ quick }) {
    const callboard = await startServer(new URL('./callboard-server.ts', import.meta.url))
    const bare = await startServer(new URL('./bare-server.ts', import.meta.url))
    const [token] = callboard.tokens
    const perSecond = async (port: number): Promise<number> => {
      const asked = Array.from({ length: CONNECTIONS }, () => ({ path: '/v1/me', token }))
      return (await loadHttp(port, asked, quick ? ROUND_MS / 4 : ROUND_MS, { awake: true })).perSecond
    }
    const reached = await alternate(
      { callboard: () => perSecond(callboard.port), 'bare IttyRouter': () => perSecond(bare.port) },
      5,
    )
    await Promise.all([callboard.stop(), bare.stop()])
    return {
      tables: [
        {
          columns: ['', 'requests/s'],
          rows: Object.entries(reached).map(([name, rounds]) => [name, spread(rounds)]),
        },
      ],
      goals: [
        {
          what: 'requests/s relative to a bare IttyRouter',
          atLeast: 0.7,
          guard: 0.3,
          rounds: ratios(reached.callboard, reached['bare IttyRouter']),
        },
      ],
      notes: [
        'One key on 16 connections; both servers return the same body. Each runs @hono/node-server in a process of its ' +
          'own, and another process sends the requests.',
        'The largest part of a request to either server is the write to its socket. The lowest CPU time per request in ' +
          'one series of seven rounds was 11.7 µs for the bare router, 12.1 µs for the bare router with the five more ' +
          'headers that Callboard sends, and 16.8 µs for Callboard. Timed in a loop of its own, the whole handler of ' +
          'Callboard takes 4.7 µs: checking the form of the token 0.6, hashing it 0.4, the request id 0.2, and the ' +
          'rate-limit windows with their headers 0.3. The remaining 3.2 µs are spread over routing, promises, garbage ' +
          'collection and many small functions.',
      ],
    }
  },
}
