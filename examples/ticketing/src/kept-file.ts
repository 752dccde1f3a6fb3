import { randomUUID } from 'node:crypto'
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Returns the text of a file. The first call creates the file, which only its owner can read. Two processes that create
 * it at once get the same text, and a killed process leaves no partial file.
 */
export async function readOrMake(path: string, make: () => string | Promise<string>): Promise<string> {
  const kept = await readKept(path)
  if (kept !== undefined) return kept
  const draft = await writeDraft(path, await make())
  try {
    await link(draft, path)
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error
  } finally {
    await rm(draft, { force: true })
  }
  return readFile(path, 'utf8')
}

/** Undefined if the file does not exist. */
export async function readKept(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  }
}

/** Replaces the text of a file atomically. */
export async function replaceKept(path: string, text: string): Promise<void> {
  await rename(await writeDraft(path, text), path)
}

export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}

async function writeDraft(path: string, text: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const draft = `${path}.${randomUUID()}`
  await writeFile(draft, text, { mode: 0o600, flag: 'wx' })
  return draft
}
