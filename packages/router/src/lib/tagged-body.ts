import type { Reply } from './reply.ts'

/** A body that seldom changes, with its ETag. */
export interface TaggedBody {
  readonly body: string
  readonly etag: string
}

export async function tagBody(body: string): Promise<TaggedBody> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(body))
  return { body, etag: `"${btoa(String.fromCharCode(...new Uint8Array(digest).subarray(0, 15)))}"` }
}

/** Answers 304 if the caller has the body already, and the body otherwise (RFC 9110, 13.1.2). */
export function answerTagged(
  request: Request,
  { body, etag }: TaggedBody,
  others: Readonly<Record<string, string>>,
): Reply {
  const headers = { etag, ...others }
  return isKnown(request.headers.get('if-none-match'), etag)
    ? { status: 304, body: null, headers }
    : { status: 200, body, headers }
}

/**
 * Whether `If-None-Match` contains the ETag. Its weak form matches too, because a proxy that compresses the body makes
 * the ETag weak.
 */
function isKnown(header: string | null, etag: string): boolean {
  if (header === null) return false
  return header.split(',').some((each) => ['*', etag, `W/${etag}`].includes(each.trim()))
}
