import { readFile, rm, writeFile } from 'node:fs/promises'
import { hasCode } from '../kept-file.ts'
import { StartError } from '../start-error.ts'

/** Keeps other processes out of a folder until the returned function is called or this process ends. */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  const path = `${folder}.lock`
  for (let attempts = 1; ; attempts++) {
    try {
      await writeFile(path, String(process.pid), { flag: 'wx', mode: 0o600 })
      return () => rm(path, { force: true })
    } catch (error) {
      if (!hasCode(error, 'EEXIST') || attempts === 3) throw error
    }
    const holder = Number(await readFile(path, 'utf8').catch(() => ''))
    if (holder !== process.pid && isAlive(holder))
      throw new StartError(
        `${folder} is in use by process ${holder}. Stop it, or set DATA_DIR or DATABASE_URL to another place.\n` +
          `If that process is not the platform, remove ${path}.`,
      )
    // The lock is stale: the process that created it was killed.
    await rm(path, { force: true })
  }
}

function isAlive(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return hasCode(error, 'EPERM')
  }
}
