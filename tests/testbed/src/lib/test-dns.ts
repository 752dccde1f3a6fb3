import { createSocket } from 'node:dgram'
import { type AddressInfo, createServer } from 'node:net'

/** The addresses of a name (IPv4, IPv6 or both), or what the name server does instead of returning addresses. */
type FamilyAnswer = readonly string[] | 'silent' | 'SERVFAIL' | 'NXDOMAIN' | 'REFUSED'

/** One answer for both address families, or a separate answer for each. */
export type DnsAnswer = FamilyAnswer | { readonly A: FamilyAnswer; readonly AAAA: FamilyAnswer }

export interface TestDns {
  /** The server's address, as `address:port`. */
  readonly server: string
  /**
   * Sets the answers to the next lookups of a name, in order; the last answer repeats. Unknown names get `NXDOMAIN`.
   */
  answer(name: string, ...answers: readonly DnsAnswer[]): void
  /** Resolves at the next query for a name. */
  asked(name: string): Promise<void>
  stop(): Promise<void>
}

/** How many bytes an address has, by record type: 1 is A, 28 is AAAA. */
const SIZES: Readonly<Record<number, number>> = { 1: 4, 28: 16 }
const CODES = { SERVFAIL: 2, NXDOMAIN: 3, REFUSED: 5 } as const
const TRUNCATED = 0x0200
/** The maximum size of a datagram in bytes; for a longer answer, a resolver repeats the query over TCP. */
const MAX_DATAGRAM = 1_200

/**
 * Starts a real name server for A and AAAA on 127.0.0.1, on the same port for UDP and TCP. By default, the port is any
 * free port.
 */
export async function startDns(port = 0): Promise<TestDns> {
  const scripts = new Map<string, readonly DnsAnswer[]>()
  const counts = new Map<string, number>()
  let waiting: { readonly name: string; readonly wake: () => void }[] = []

  const respond = (query: Buffer, limit: number): Buffer | undefined => {
    const { name, type, end } = questionIn(query)
    for (const each of waiting) if (each.name === name) each.wake()
    waiting = waiting.filter((each) => each.name !== name)
    const script = scripts.get(name) ?? []
    // One lookup makes two queries, A and AAAA, so the position in the list of answers is kept separately for each
    // type.
    const count = counts.get(`${name} ${type}`) ?? 0
    const scripted = script[Math.min(count, script.length - 1)] ?? 'NXDOMAIN'
    const answer = typeof scripted === 'object' && 'A' in scripted ? scripted[type === 1 ? 'A' : 'AAAA'] : scripted
    const data = typeof answer === 'string' ? [] : answer.map(bytesOf).filter(({ length }) => length === SIZES[type])
    const records = data.map((bytes) => Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, bytes.length, ...bytes]))
    const fits = end + records.length * (12 + (SIZES[type] ?? 0)) <= limit
    if (fits) counts.set(`${name} ${type}`, count + 1)
    if (answer === 'silent') return undefined
    const header = Buffer.alloc(12)
    query.copy(header, 0, 0, 2)
    header.writeUInt16BE(0x8180 | (typeof answer === 'string' ? CODES[answer] : 0) | (fits ? 0 : TRUNCATED), 2)
    header.writeUInt16BE(1, 4)
    header.writeUInt16BE(fits ? records.length : 0, 6)
    return Buffer.concat([header, query.subarray(12, end), ...(fits ? records : [])])
  }

  const tcp = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', (query) => {
      const answer = respond(query.subarray(2), 65_535)
      if (answer === undefined) return
      const size = Buffer.alloc(2)
      size.writeUInt16BE(answer.length)
      socket.end(Buffer.concat([size, answer]))
    })
  })
  await new Promise<void>((resolve, reject) => tcp.once('error', reject).listen(port, '127.0.0.1', resolve))
  const bound = (tcp.address() as AddressInfo).port
  const udp = createSocket('udp4', (query, from) => {
    const answer = respond(query, MAX_DATAGRAM)
    if (answer !== undefined) udp.send(answer, from.port, from.address)
  })
  await new Promise<void>((resolve, reject) => udp.once('error', reject).bind(bound, '127.0.0.1', resolve))

  return {
    server: `127.0.0.1:${bound}`,
    answer(name, ...answers) {
      scripts.set(name, answers)
      for (const type of Object.keys(SIZES)) counts.delete(`${name} ${type}`)
    },
    asked: (name) => new Promise((wake) => waiting.push({ name, wake })),
    async stop() {
      udp.close()
      await new Promise((resolve) => tcp.close(resolve))
    },
  }
}

function questionIn(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = []
  let at = 12
  for (let size = query[at]; size; size = query[at]) {
    labels.push(query.toString('latin1', at + 1, at + 1 + size))
    at += 1 + size
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 }
}

function bytesOf(address: string): number[] {
  const quad = /(?:^|:)((?:\d+\.){3}\d+)$/.exec(address)?.[1]
  const tail = quad?.split('.').map(Number) ?? []
  if (!address.includes(':')) return tail
  const [left = '', right = ''] = address.slice(0, address.length - (quad?.length ?? 0)).split('::')
  const groups = (text: string): number[] =>
    text
      .split(':')
      .filter((group) => group !== '')
      .flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255])
  const [head, rest] = [groups(left), [...groups(right), ...tail]]
  return [...head, ...Array<number>(16 - head.length - rest.length).fill(0), ...rest]
}
