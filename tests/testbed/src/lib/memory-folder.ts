import { readdir, readFile, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Where Linux keeps files in memory. */
const MEMORY = '/dev/shm'
/** Enough for the servers of two test runs at once. In a container of Docker, the folder usually has 64 MB. */
const NEEDED_BYTES = 4 * 2 ** 30

/**
 * Returns a folder in memory for the data of short-lived servers, or the folder for temporary files if there is none
 * with enough space. A migration creates about 130 files, which takes four times as long on a disk.
 */
export async function memoryFolder(): Promise<string> {
  const { bavail, bsize } = await statfs(MEMORY).catch(() => ({ bavail: 0, bsize: 0 }))
  return bavail * bsize < NEEDED_BYTES ? tmpdir() : MEMORY
}

/**
 * Removes the folders in memory of processes that were killed, unless their server still runs. The name of each folder
 * is `prefix`, the id of its process, and `-`.
 */
export async function removeLeftovers(prefix: string, within: string = MEMORY): Promise<void> {
  const names = (await readdir(within).catch(() => [])).filter((name) => name.startsWith(prefix))
  await Promise.all(
    names.map((name) => removeLeftover(join(within, name), Number.parseInt(name.slice(prefix.length), 10))),
  )
}

async function removeLeftover(folder: string, owner: number): Promise<void> {
  const server = Number.parseInt(await readFile(join(folder, 'data', 'postmaster.pid'), 'utf8').catch(() => ''), 10)
  if (isAlive(owner) || (server > 0 && isAlive(server))) return
  // Another process may be removing it too.
  await rm(folder, { recursive: true, force: true }).catch(() => undefined)
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
