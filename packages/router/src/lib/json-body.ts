import { CallboardError } from '@callboard/core'
import { declaresMoreThan, readBody } from '@callboard/handler'
import { Refusal } from './problem.ts'

/** Bytes of a request body at most (decisions, “Body size”). */
const MAX_BODY_BYTES: number = 64 * 1024

/** For `onError`: the caller is not to blame. */
const BODY_GONE =
  'The body was read before the router got the request. Mount the router before what reads bodies. Hono: ' +
  'router.fetch(await cloneRawRequest(c.req)). Fastify: app.register(toFastifyPlugin(router)).'

/**
 * The JSON value of a request's body. Refuses another media type or a coding such as gzip (415), more than
 * {@link MAX_BODY_BYTES} (413: at once when `content-length` says so, else counted as it arrives), and what is empty, not UTF-8 or not JSON (400).
 */
export async function readJsonBody(request: Request): Promise<unknown> {
  if (!isJson(request.headers.get('content-type')) || isCoded(request.headers.get('content-encoding'))) {
    throw new Refusal({
      code: 'UNSUPPORTED_MEDIA_TYPE',
      message: 'Send the body as plain JSON in UTF-8, with Content-Type: application/json.',
    })
  }
  if (declaresMoreThan(MAX_BODY_BYTES, request)) throw tooLarge()
  if (request.bodyUsed || request.body?.locked === true) throw new CallboardError('CONFIGURATION_INVALID', BODY_GONE)
  const text = await readText(request)
  if (text.trim() === '') throw invalidBody('The body is empty. Send a JSON object.')
  try {
    return JSON.parse(text)
  } catch {
    throw invalidBody('The body is not valid JSON.')
  }
}

/** `application/json`, its charset left out or UTF-8. */
function isJson(contentType: string | null): boolean {
  if (contentType === null || !/^application\/json[ \t]*(?:;|$)/i.test(contentType)) return false
  const charset = /;[ \t]*charset=("?)([^";]*)\1/i.exec(contentType)?.[2]
  return charset === undefined || /^utf-?8[ \t]*$/i.test(charset)
}

function isCoded(contentEncoding: string | null): boolean {
  return contentEncoding !== null && contentEncoding.trim().toLowerCase() !== 'identity'
}

async function readText(request: Request): Promise<string> {
  const body = await readBody(request, MAX_BODY_BYTES)
  if (body === 'too-large') throw tooLarge()
  // The sender's doing, so no fault to report.
  if (body === 'broken-off') throw invalidBody('The body broke off. Send it again.')
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch {
    throw invalidBody('The body is not valid UTF-8.')
  }
}

function tooLarge(): Refusal {
  const message = `The body is too large. Send at most ${MAX_BODY_BYTES / 1024} KiB.`
  return new Refusal({ code: 'PAYLOAD_TOO_LARGE', message })
}

function invalidBody(message: string): Refusal {
  return new Refusal({ code: 'VALIDATION_FAILED', message, issues: [{ path: '', message }] })
}
