import type { TransportFailureCause } from './transport.ts'

const RESOURCES: readonly unknown[] = ['EMFILE', 'ENFILE', 'ENOMEM', 'ENOBUFS', 'EAI_MEMORY']
const NO_ANSWER: readonly unknown[] = [
  ...['ETIMEDOUT', 'ENETUNREACH', 'EHOSTUNREACH', 'ENETDOWN', 'EPERM', 'EACCES'],
  // The last four are of DNS lookups. A name server also answers so if it cannot reach others.
  ...['ETIMEOUT', 'ESERVFAIL', 'EREFUSED', 'EAI_AGAIN'],
]

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}

/** Why a lookup failed, if that need not be the name's fault. */
export function causeOfLookup(error: unknown): TransportFailureCause | undefined {
  const code = codeOf(error)
  // The name servers are this machine's, so the target cannot refuse these connections.
  if (code === 'ECONNREFUSED') return 'resolver'
  return RESOURCES.includes(code) ? 'resources' : NO_ANSWER.includes(code) ? 'silence' : undefined
}

/** Why a connection to an address failed, if that need not be the fault of the host at that address. */
export function causeOfConnecting(error: unknown, address: string): TransportFailureCause | undefined {
  const code = codeOf(error)
  // On a machine without IPv6, no port is free for it either, and never will be.
  if (code === 'EADDRNOTAVAIL') return address.includes(':') ? 'silence' : 'resources'
  return RESOURCES.includes(code) ? 'resources' : NO_ANSWER.includes(code) ? 'silence' : undefined
}

/** Whether an error says that no memory could be allocated, as for a buffer. */
export function isOutOfMemory(error: unknown): boolean {
  return (
    codeOf(error) === 'ERR_MEMORY_ALLOCATION_FAILED' ||
    (error instanceof RangeError && /alloc|memory/i.test(error.message))
  )
}
