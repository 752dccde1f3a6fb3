import type { ReadTarget } from './target-reader.ts'
import type { TransportRequest } from './transport.ts'

const NAME = /^[!#$%&'*+\-.^_`|~\dA-Za-z]+$/
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/

/**
 * The bytes of a POST, in one buffer. If head and body were written separately, they would become two TLS records in
 * two packets.
 *
 * @throws TypeError for an invalid header, such as one with a line break.
 */
export function requestBytes(target: ReadTarget, { headers, body }: TransportRequest): Uint8Array {
  let head = `POST ${target.path} HTTP/1.1\r\n`
  for (const name in headers) {
    const value = headers[name] ?? ''
    if (!NAME.test(name) || !VALUE.test(value))
      throw new TypeError(`The header ${JSON.stringify(name)} has an invalid name or value.`)
    head += `${name}: ${value}\r\n`
  }
  head += `content-length: ${body.byteLength}\r\nHost: ${target.host}\r\nConnection: keep-alive\r\n\r\n`
  const bytes = Buffer.allocUnsafe(head.length + body.byteLength)
  bytes.write(head, 'latin1')
  bytes.set(body, head.length)
  return bytes
}
