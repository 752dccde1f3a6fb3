import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'chrome', 'microsoft-edge']
const MACINTOSH = ['Google Chrome', 'Chromium'].map((name) => `/Applications/${name}.app/Contents/MacOS/${name}`)

/** Starts the machine's Chromium, in a profile of its own that goes when the browser is closed. */
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
      // Nothing that a page under test names outside this machine is ever asked for.
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
    ],
  })
}

/** The browser that `CHROMIUM` names, else the first of the usual names in `PATH`. */
function findChromium(): string {
  const given = process.env['CHROMIUM']
  if (given !== undefined) {
    if (isProgram(given)) return given
    throw new Error(`CHROMIUM is ${given}, which is no program: let it name a Chromium or Chrome.`)
  }
  const folders = (process.env['PATH'] ?? '').split(delimiter).concat('/usr/bin')
  const found = [...NAMES.flatMap((name) => folders.map((folder) => join(folder, name))), ...MACINTOSH].find(isProgram)
  if (found !== undefined) return found
  throw new Error('No Chromium here: install one (Debian: apt-get install chromium) or let CHROMIUM name it.')
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
