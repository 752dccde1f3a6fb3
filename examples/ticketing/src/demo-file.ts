import { join } from 'node:path'
import * as z from 'zod'
import { readKept, replaceKept } from './kept-file.ts'

const access = z.strictObject({ url: z.string(), keyId: z.string(), key: z.string() })

/** The platform's URL and the demo account's key, for the demo receiver. */
export type DemoAccess = z.output<typeof access>

/** Returns undefined if the platform has never been started, or if the file is malformed. */
export async function readDemoAccess(dataDir: string): Promise<DemoAccess | undefined> {
  const text = await readKept(join(dataDir, 'demo.json'))
  if (text === undefined) return undefined
  try {
    return access.parse(JSON.parse(text))
  } catch {
    return undefined
  }
}

/** Keeps the key in a file that only its owner can read. The database stores only a hash of the key. */
export function writeDemoAccess(dataDir: string, demo: DemoAccess): Promise<void> {
  return replaceKept(join(dataDir, 'demo.json'), `${JSON.stringify(demo, null, 2)}\n`)
}
