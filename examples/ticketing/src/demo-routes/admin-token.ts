import { createHash, timingSafeEqual } from 'node:crypto'

/**
 * Checks whether a request carries the admin token. Compares digests, because a comparison in constant time needs two
 * values of equal length.
 */
export function createAdminCheck(adminToken: string): (request: Request) => boolean {
  const expected = digest(adminToken)
  return ({ headers }) => {
    const [, sent] = /^Bearer (\S+)$/i.exec(headers.get('authorization') ?? '') ?? []
    return sent !== undefined && timingSafeEqual(digest(sent), expected)
  }
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
