import type { TransportRequest } from '../transport.ts'
import type { ReadTarget } from './target-reader.ts'

const NAME = /^[!#$%&'*+\-.^_`|~\dA-Za-z]+$/
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/

/**
 * A POST as it goes over the wire, in one buffer: head and body written apart would be two TLS records in two packets.
 *
 * @throws TypeError for a header that cannot be sent, such as one with a line break.
 */
export function requestBytes(target: ReadTarget, { headers, body }: TransportRequest): Uint8Array {
  let head = `POST ${target.path} HTTP/1.1\r\n`
  for (const name in headers) {
    const value = headers[name] ?? ''
    if (!NAME.test(name) || !VALUE.test(value))
      throw new TypeError(`The header ${JSON.stringify(name)} cannot be sent.`)
    head += `${name}: ${value}\r\n`
  }
  head += `content-length: ${body.byteLength}\r\nHost: ${target.host}\r\nConnection: keep-alive\r\n\r\n`
  const bytes = Buffer.allocUnsafe(head.length + body.byteLength)
  bytes.write(head, 'latin1')
  bytes.set(body, head.length)
  return bytes
}
