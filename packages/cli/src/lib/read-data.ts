import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import type { CommandContext } from './command-context.ts'
import { wrongUsage } from './command-error.ts'

/** Reads a JSON object that is given inline, as `@file`, or as `-` for stdin. Errors never quote the object. */
export async function readData(given: string, { stdin, folder }: CommandContext): Promise<object> {
  const json = given === '-' ? await text(stdin) : given.startsWith('@') ? await read(folder, given.slice(1)) : given
  let data: unknown
  try {
    data = JSON.parse(json)
  } catch {
    throw wrongUsage('--data is not JSON.')
  }
  if (typeof data !== 'object' || data === null) throw wrongUsage('--data must be a JSON object.')
  return data
}

async function read(folder: string, file: string): Promise<string> {
  try {
    return await readFile(resolve(folder, file), 'utf8')
  } catch (error) {
    throw wrongUsage(`--data cannot be read: ${error instanceof Error ? error.message : file}`)
  }
}
