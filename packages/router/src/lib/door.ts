import type { Scope } from '@callboard/core'
import type { Admission } from '@callboard/core/engine'
import type { Caller } from '@callboard/core/store'
import type { Problem } from './problem.ts'
import { retryAfterSeconds } from './rate-limit-headers.ts'

type Refused = Exclude<Admission, { readonly caller: Caller }>

/**
 * Creates the 401 response (RFC 6750, section 3). The message does not say why the key was refused, so that a caller
 * who guesses keys learns nothing.
 */
export function unauthenticated({ credentials }: Refused, realm: string): Problem {
  const error = credentials === 'missing' ? '' : ', error="invalid_token"'
  return {
    code: 'UNAUTHENTICATED',
    message: 'Send a valid API key in the Authorization header: Bearer <API_KEY>.',
    headers: { 'www-authenticate': `Bearer realm="${realm}"${error}` },
  }
}

/**
 * Returns the problem if a caller with a valid key has exceeded a rate limit or lacks the route's scope; otherwise
 * undefined. The rate limit is checked first.
 */
export function obstacle(admission: Exclude<Admission, Refused>, scope: Scope | undefined): Problem | undefined {
  if (admission.outcome === 'limited') {
    const seconds = retryAfterSeconds(admission.windows)
    return {
      code: 'RATE_LIMITED',
      message: `Too many requests with this key. Try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`,
      headers: { 'retry-after': String(seconds) },
    }
  }
  return scope === undefined || admission.caller.scopes.includes(scope) ? undefined : insufficient(scope)
}

/** Creates the 403 response. */
export function insufficient(scope: Scope): Problem {
  return {
    code: 'INSUFFICIENT_SCOPE',
    message: `This key lacks the scope ${scope}. Use a key that has it.`,
    headers: { 'www-authenticate': `Bearer error="insufficient_scope", scope="${scope}"` },
  }
}
