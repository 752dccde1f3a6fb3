import { CallboardError } from '@callboard/core'
import { declaresMoreThan, readBody } from '@callboard/handler'
import { Refusal } from './problem.ts'

/** The maximum size of a request body, in bytes. */
const MAX_BODY_BYTES: number = 64 * 1024

/** Only `onError` gets this message. The caller does not see it, because the platform's code is at fault. */
const BODY_GONE =
  'The body was read before the router received the request. Mount the router before middleware that reads bodies. ' +
  'Hono: router.fetch(await cloneRawRequest(c.req)). Fastify: app.register(toFastifyPlugin(router)).'

/**
 * Reads and parses the JSON body of a request. Refuses the request with:
 * - 415 if the media type is not JSON, or if the body has a content coding such as gzip.
 * - 413 if the body is larger than {@link MAX_BODY_BYTES}, according to `content-length` or to the bytes that arrive.
 * - 400 if the body is empty, not UTF-8 or not JSON.
 */
export async function readJsonBody(request: Request): Promise<unknown> {
  if (!isJson(request.headers.get('content-type')) || isCoded(request.headers.get('content-encoding'))) {
    throw new Refusal({
      code: 'UNSUPPORTED_MEDIA_TYPE',
      message: 'Send the body as uncompressed JSON in UTF-8, with Content-Type: application/json.',
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

/** Whether the content type is `application/json`, either without a charset or with UTF-8. */
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
  // The sender broke off the request, so the response is a 400, and `onError` is not called.
  if (body === 'broken-off') throw invalidBody('The body is incomplete. Send it again.')
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
