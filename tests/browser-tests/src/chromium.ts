import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'chrome', 'microsoft-edge']
const MACINTOSH = ['Google Chrome', 'Chromium'].map((name) => `/Applications/${name}.app/Contents/MacOS/${name}`)

/** Starts the installed Chromium, in a new profile that is deleted when the browser is closed. */
export function startChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: findChromium(),
    timeout: 120_000,
    args: [
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      // Keeps pages under test from reaching anything outside this machine.
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
    ],
  })
}

/** The path of the browser: `CHROMIUM`, or the first program in `PATH` that has one of the usual names. */
function findChromium(): string {
  const given = process.env['CHROMIUM']
  if (given !== undefined) {
    if (isProgram(given)) return given
    throw new Error(`CHROMIUM is ${given}, which is not an executable. Set it to the path of Chromium or Chrome.`)
  }
  const folders = (process.env['PATH'] ?? '').split(delimiter).concat('/usr/bin')
  const found = [...NAMES.flatMap((name) => folders.map((folder) => join(folder, name))), ...MACINTOSH].find(isProgram)
  if (found !== undefined) return found
  throw new Error('No Chromium was found. Install one (Debian: apt-get install chromium) or set CHROMIUM to its path.')
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
