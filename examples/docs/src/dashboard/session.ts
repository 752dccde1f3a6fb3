import { createHmac, timingSafeEqual } from 'node:crypto'

/** Stands in for your platform's own session: a signed cookie that identifies the viewer. */
export interface Session {
  readonly account: string
  /** The id of the person. */
  readonly user: string
  readonly role: 'owner' | 'staff'
  /** English by default. */
  readonly language?: 'en' | 'de' | undefined
}

const sign = (text: string): string =>
  createHmac('sha256', process.env['SECRET_KEY'] ?? '')
    .update(text)
    .digest('base64url')

export function sessionCookie(session: Session): string {
  const text = Buffer.from(JSON.stringify(session)).toString('base64url')
  return `session=${text}.${sign(text)}`
}

export function sessionOf(request: Request): Session | undefined {
  const [, text = '', signature = ''] =
    /(?:^|; )session=([\w-]+)\.([\w-]+)/.exec(request.headers.get('cookie') ?? '') ?? []
  const [given, expected] = [Buffer.from(signature), Buffer.from(sign(text))]
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined
  return JSON.parse(Buffer.from(text, 'base64url').toString())
}
