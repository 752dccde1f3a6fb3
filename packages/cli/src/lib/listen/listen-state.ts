import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { generateSecret } from '@callboard/signature'
import * as z from 'zod'
import { CommandError } from '../command-error.ts'

/** What `callboard listen` remembers between runs, for one key of one platform. */
export interface ListenState {
  readonly path: string
  /** Signs forwarded events. It never changes, so that a server can be set up once. */
  readonly secret: string
  /** The cursor to continue after; undefined for the first run with these event types. */
  cursor(): string | undefined
  /** Remembers where to continue. */
  save(cursor: string): Promise<void>
}

const kept = z.strictObject({ secret: z.string(), cursors: z.record(z.string(), z.string()) })

/**
 * Opens the file for a key and a set of event types, and creates it if it is missing. Only its owner can read it,
 * because of the secret. Its name contains a hash of the key.
 */
export async function openListenState(
  home: string,
  {
    url,
    key,
    eventTypes,
  }: { readonly url: string; readonly key: string; readonly eventTypes?: readonly string[] | undefined },
): Promise<ListenState> {
  const id = createHash('sha256').update(`${url}\n${key}`).digest('hex').slice(0, 16)
  const path = join(home, '.callboard', `listen-${id}.json`)
  // A cursor is valid only for the types that it was issued for.
  const types = [...new Set(eventTypes)].sort().join()
  const state = (await read(path)) ?? { secret: generateSecret(), cursors: {} }
  const write = async (): Promise<void> => {
    const draft = `${path}.${randomUUID()}`
    try {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      await writeFile(draft, `${JSON.stringify(state)}\n`, { mode: 0o600, flag: 'wx' })
      await rename(draft, path)
    } catch (error) {
      await rm(draft, { force: true })
      throw unusable(path, error)
    }
  }
  await write()
  return {
    path,
    secret: state.secret,
    cursor: () => state.cursors[types],
    async save(cursor) {
      if (state.cursors[types] === cursor) return
      state.cursors[types] = cursor
      await write()
    },
  }
}

async function read(path: string): Promise<z.infer<typeof kept> | undefined> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw unusable(path, error)
  }
  try {
    return kept.parse(JSON.parse(text))
  } catch {
    throw new CommandError(`${path} was not written by callboard listen. Remove it to start anew.`)
  }
}

function unusable(path: string, cause: unknown): CommandError {
  return new CommandError(`${path} cannot be used to remember where to continue: ${codeOf(cause) ?? 'unknown'}.`, {
    cause,
  })
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined
}
