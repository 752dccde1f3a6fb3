import { CallboardError } from '@callboard/core'

/** The part of PGlite that says where its files are. */
export interface PGliteFolder {
  readonly dataDir?: string | undefined
  readonly closed?: boolean | undefined
  close?(): Promise<void>
}

/** Which PGlite of this process has locked a folder. */
const holders = new Map<string, PGliteFolder>()

/**
 * Keeps other processes out of PGlite's folder until it is closed or this process ends. Postgres itself does not notice
 * that two PGlites have the same files open, and each then overwrites what the other has committed. A database in
 * memory or in a browser has no folder.
 *
 * @throws CallboardError `CONFIGURATION_INVALID` if another process, or another PGlite of this one, has the folder.
 */
export async function lockFolder(pglite: PGliteFolder): Promise<void> {
  const folder = folderOf(pglite.dataDir)
  if (folder === undefined) return
  const holder = holders.get(folder)
  if (holder === pglite) return
  if (holder !== undefined && holder.closed !== true)
    throw inUse(folder, 'another PGlite of this process. Use one PGlite for both')
  holders.set(folder, pglite)
  try {
    const unlock = await createLock(folder)
    const close = pglite.close?.bind(pglite)
    if (close !== undefined)
      pglite.close = async () => {
        await close()
        holders.delete(folder)
        await unlock()
      }
  } catch (error) {
    holders.delete(folder)
    throw error
  }
}

function folderOf(dataDir: string | undefined): string | undefined {
  const [, scheme, path] = /^(?:([\w-]+):\/\/)?(.*)$/.exec(dataDir ?? '') ?? []
  return path && (scheme === undefined || scheme === 'file') ? path : undefined
}

function inUse(folder: string, by: string): CallboardError {
  return new CallboardError('CONFIGURATION_INVALID', `The folder ${folder} is in use by ${by}.`)
}

/** Creates a file with this process's id beside the folder. Replaces the file of a process that was killed. */
async function createLock(folder: string): Promise<() => Promise<void>> {
  const { readFile, rm, writeFile } = await import('node:fs/promises')
  const path = `${folder.replace(/\/+$/, '')}.lock`
  for (let tries = 1; ; tries++) {
    try {
      await writeFile(path, String(process.pid), { flag: 'wx', mode: 0o600 })
      return () => rm(path, { force: true })
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST') || tries === 3) throw error
    }
    const holder = Number(await readFile(path, 'utf8').catch(() => ''))
    if (holder !== process.pid && isAlive(holder))
      throw inUse(folder, `process ${holder}. Stop it first. If it does not use this folder, remove ${path}`)
    await rm(path, { force: true })
  }
}

function isAlive(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
