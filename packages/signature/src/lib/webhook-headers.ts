import { WebhookVerificationError } from './webhook-verification-error.ts'

/** Headers of a request: `Headers`, a plain object in any case, or Node's `IncomingHttpHeaders`. */
export type WebhookHeaders =
  | { get(name: string): string | null | undefined }
  | { readonly [name: string]: string | readonly string[] | undefined }

/**
 * One header's value. Repeated ones are joined by `, `, as `Headers` and Node do, so that a second id or time is
 * seen and refused, never picked. Throws `HEADER_MISSING` for an absent or empty one and one that is not text.
 */
export function header(headers: WebhookHeaders, name: string): string {
  const texts = values(headers, name).filter((value) => typeof value === 'string' && value !== '')
  if (texts.length === 0) throw new WebhookVerificationError('HEADER_MISSING', `The ${name} header is missing`)
  return texts.join(', ')
}

function values(headers: WebhookHeaders, name: string): unknown[] {
  if (isHeaders(headers)) return [headers.get(name)]
  return Object.entries(headers ?? {}).flatMap(([key, value]) => (key.toLowerCase() === name ? value : []))
}

function isHeaders(headers: WebhookHeaders): headers is { get(name: string): string | null | undefined } {
  return typeof headers?.get === 'function'
}
