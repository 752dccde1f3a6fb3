// Makes the pictures of README.md (pnpm pictures): the dashboard after a simulated day, and the demo receiver as it
// verifies a delivery. Both run as a reader of the README starts them.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startChromium } from '../chromium.ts'

const root = fileURLToPath(new URL('../../../..', import.meta.url))
const dataDir = await mkdtemp(join(tmpdir(), 'callboard-pictures-'))
const env = { PATH: process.env['PATH'] ?? '', DATA_DIR: dataDir, SIMULATE_DAY: '1', PORT: '0', RECEIVER_PORT: '8788' }
const children: ChildProcess[] = []

/** Starts an example. The result waits until its output matches, and returns the match and all output so far. */
function start(example: string): (pattern: RegExp) => Promise<{ match: RegExpExecArray; output: string }> {
  const child = spawn(process.execPath, [`examples/${example}/src/main.ts`], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.push(child)
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk
  })
  return async (pattern) => {
    for (;;) {
      const match = pattern.exec(output)
      if (match !== null) return { match, output }
      if (child.exitCode !== null) throw new Error(`${example} ended:\n${output}`)
      await once(child.stdout, 'data', { signal: AbortSignal.timeout(120_000) })
    }
  }
}

const COLOURS = 'color: light-dark(#1f2328, #e6edf3); background: light-dark(#f6f8fa, #0d1117)'
const escaped = (text: string): string => text.replace(/[&<]/g, (character) => `&#${character.charCodeAt(0)};`)
const terminal = (text: string): string => `<!doctype html><style>:root { color-scheme: light dark }
  body { margin: 0; ${COLOURS} } pre { font: 14px/1.5 monospace; margin: 0; padding: 18px 20px; white-space: pre-wrap }
  b { color: light-dark(#1a7f37, #3fb950) }</style><pre>${escaped(text).replace(/^verified \S+/gm, '<b>$&</b>')}</pre>`

const browser = await startChromium()
try {
  const platform = start('node')
  const { match: ready } = await platform(/ready on (\S+)[\s\S]*Admin token +(\S+)[\s\S]*Stop:/)
  const [, url = '', adminToken = ''] = ready
  const receiver = start('receiver')
  await receiver(/Ctrl-C unsubscribes/)
  await fetch(`${url}/demo/orders`, { method: 'POST', headers: { authorization: `Bearer ${adminToken}` } })
  const { output } = await receiver(/^verified order\.paid[\s\S]*^verified order\.paid[\s\S]*\n$/m)

  for (const colorScheme of ['light', 'dark'] as const) {
    const page = await browser.newPage({ viewport: { width: 1280, height: 680 }, colorScheme })
    const picture = (name: string): string => join(root, 'docs', 'pictures', `${name}-${colorScheme}.png`)
    await page.goto(`${url}/dashboard`, { waitUntil: 'load' })
    await page.screenshot({ path: picture('dashboard') })
    // The dashboard's policy would refuse the styles of the next page.
    await page.goto('about:blank')
    await page.setViewportSize({ width: 1000, height: 200 })
    await page.setContent(terminal(`$ npm run demo:receiver\n${output}`))
    await page.screenshot({ path: picture('verified'), fullPage: true })
    await page.close()
  }
} finally {
  await browser.close()
  for (const child of children.reverse()) {
    child.kill('SIGTERM')
    if (child.exitCode === null) await once(child, 'exit')
  }
  await rm(dataDir, { recursive: true, force: true })
}
