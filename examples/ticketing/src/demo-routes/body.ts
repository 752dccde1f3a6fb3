import type * as z from 'zod'
import { DemoProblem, invalid, issuesOf } from './problem.ts'
import { wording } from './wording.ts'

const MAX_BYTES = 64 * 1024

/**
 * Parses the body of a request with a schema. An empty body counts as `{}`, so that a request can rely on defaults
 * alone.
 */
export async function readBody<Schema extends z.ZodType>(request: Request, schema: Schema): Promise<z.output<Schema>> {
  const parsed = schema.safeParse(parse(await readText(request)), { error: wording })
  if (!parsed.success) throw invalid(issuesOf(parsed.error))
  return parsed.data
}

async function readText(request: Request): Promise<string> {
  const tooLarge = new DemoProblem('PAYLOAD_TOO_LARGE', `The body is too large. Send at most ${MAX_BYTES / 1024} KiB.`)
  if (Number(request.headers.get('content-length')) > MAX_BYTES) throw tooLarge
  const bytes = await request.arrayBuffer()
  if (bytes.byteLength > MAX_BYTES) throw tooLarge
  if (bytes.byteLength === 0) return '{}'
  if (!/^application\/json\s*(?:;|$)/i.test(request.headers.get('content-type') ?? ''))
    throw new DemoProblem('UNSUPPORTED_MEDIA_TYPE', 'Send the body as JSON, with Content-Type: application/json.')
  return new TextDecoder().decode(bytes)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw invalid([{ path: '', message: 'is not valid JSON' }])
  }
}
