/** A parsed address. Its value has 32 bits for family 4 and 128 bits for family 6. */
export interface IpAddress {
  readonly family: 4 | 6
  readonly value: bigint
}

/** A CIDR block: its first address and the length of its prefix in bits. */
export interface IpBlock extends IpAddress {
  readonly bits: number
}

/** Width in bits of an address of each family. */
const WIDTH = { 4: 32, 6: 128 } as const
/** Length of the longest text of an address: six groups and an embedded dotted quad. */
const MAX_TEXT = 45

/**
 * Parses an address as resolvers and sockets write it: a dotted quad of plain decimals, or a text representation of RFC
 * 4291, section 2.2. A mapped address (`::ffff:a.b.c.d`) becomes an IPv4 address. Any other text gives `undefined`,
 * even a decimal with a leading zero, because some systems read it as octal.
 */
export function parseIpAddress(text: string): IpAddress | undefined {
  if (text.length > MAX_TEXT) return undefined
  if (!text.includes(':')) {
    const value = parseDottedQuad(text)
    return value === undefined ? undefined : { family: 4, value }
  }
  const value = parseGroups(text)
  if (value === undefined) return undefined
  return value >> 32n === 0xffffn ? { family: 4, value: value & 0xffffffffn } : { family: 6, value }
}

/** Parses `address/bits` with zero host bits; anything else, such as `10.0.0.1/8`, gives `undefined`. */
export function parseIpBlock(text: string): IpBlock | undefined {
  const match = /^([^/]+)\/(0|[1-9]\d{0,2})$/.exec(text)
  const address = match?.[1] === undefined ? undefined : parseIpAddress(match[1])
  if (match === null || address === undefined) return undefined
  const bits = Number(match[2])
  if (bits > WIDTH[address.family]) return undefined
  const hostBits = BigInt(WIDTH[address.family] - bits)
  if ((address.value >> hostBits) << hostBits !== address.value) return undefined
  return { ...address, bits }
}

/** Whether the address has the block's family and is within it. */
export function blockContains(block: IpBlock, address: IpAddress): boolean {
  if (block.family !== address.family) return false
  const hostBits = BigInt(WIDTH[block.family] - block.bits)
  return address.value >> hostBits === block.value >> hostBits
}

/**
 * The canonical form of an address, which is the same for all spellings of the address; `undefined` for an invalid
 * address.
 */
export function canonicalAddress(text: string): string | undefined {
  const address = parseIpAddress(text)
  return address === undefined ? undefined : `${address.family}:${address.value.toString(16)}`
}

function parseDottedQuad(text: string): bigint | undefined {
  const parts = text.split('.')
  if (parts.length !== 4) return undefined
  let value = 0n
  for (const part of parts) {
    if (!/^(?:0|[1-9]\d{0,2})$/.test(part) || Number(part) > 255) return undefined
    value = (value << 8n) | BigInt(part)
  }
  return value
}

function parseGroups(text: string): bigint | undefined {
  const halves = withHexTail(text)?.split('::')
  if (halves === undefined || halves.length > 2) return undefined
  const [left, right] = halves.map((half) => (half === '' ? [] : half.split(':')))
  if (left === undefined) return undefined
  const missing = 8 - left.length - (right?.length ?? 0)
  if (right === undefined ? missing !== 0 : missing < 1) return undefined
  let value = 0n
  for (const group of [...left, ...Array<string>(missing).fill('0'), ...(right ?? [])]) {
    if (!/^[0-9a-f]{1,4}$/i.test(group)) return undefined
    value = (value << 16n) | BigInt(`0x${group}`)
  }
  return value
}

/** Rewrites a trailing dotted quad as two groups. */
function withHexTail(text: string): string | undefined {
  if (!text.includes('.')) return text
  const start = text.lastIndexOf(':') + 1
  const quad = parseDottedQuad(text.slice(start))
  if (quad === undefined) return undefined
  return `${text.slice(0, start)}${(quad >> 16n).toString(16)}:${(quad & 0xffffn).toString(16)}`
}
