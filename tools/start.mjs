// `npm start` and `npm run demo:receiver`: installs what the examples need and runs one of them. If the tests have
// installed everything, it stays installed. Plain JavaScript, because this file runs under the machine's Node.
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const { packageManager, devDependencies } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'))
const parent = process.ppid
const shell = process.platform === 'win32'

const everything = existsSync(`${root}node_modules/.bin/vitest`)
const examplesOnly = ['@callboard-examples/node...', '@callboard-examples/receiver...', '@callboard/handler']
const selection = everything ? [] : ['--prod', ...examplesOnly.map((name) => `--filter-prod=${name}`)]
await run('npx', ['--yes', packageManager, 'install', '--frozen-lockfile', ...selection])
// A partial installation counts as up to date to pnpm. Without its state, the next command installs everything.
if (!everything) rmSync(`${root}node_modules/.pnpm-workspace-state-v1.json`, { force: true })
// `router` and `dashboard` have `handler` among their development dependencies, which are not installed here.
const handler = `${root}node_modules/@callboard/handler`
if (!everything && !existsSync(handler)) {
  mkdirSync(`${root}node_modules/@callboard`, { recursive: true })
  symlinkSync(`${root}packages/handler`, handler, 'junction')
}
await run(findNode(), [`examples/${process.argv[2]}/src/main.ts`])

/** Returns a Node that runs TypeScript: the machine's, or one that npx keeps in its own folder. */
function findNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major > 22 || (major === 22 && minor >= 18)) return process.execPath
  const platform = process.platform === 'win32' ? 'win' : process.platform
  const own = `node-${platform}-${process.arch}@${devDependencies.node}`
  try {
    const args = ['--yes', `--package=${own}`, '--', 'node', '-p', 'process.execPath']
    return execFileSync('npx', args, {
      cwd: root,
      shell,
      encoding: 'utf8',
      stdio: ['inherit', 'pipe', 'ignore'],
    }).trim()
  } catch {
    console.error(`The examples need Node 22.18 or later. This is ${process.version}, and npm has no ${own}.`)
    return process.exit(1)
  }
}

/**
 * Runs a command and passes signals on to it. Ends this process too if the command fails.
 *
 * @param {string} command
 * @param {string[]} args
 * @returns {Promise<void>}
 */
function run(command, args) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: root, stdio: 'inherit', shell: shell && command === 'npx' })
    const pass = (signal) => child.kill(signal)
    process.on('SIGINT', pass).on('SIGTERM', pass)
    // npm passes a signal on only to its shell, which ends without passing it on. This process then has a new parent.
    const watch = setInterval(() => process.ppid !== parent && pass('SIGTERM'), 200)
    child.once('exit', (code, signal) => {
      clearInterval(watch)
      process.off('SIGINT', pass).off('SIGTERM', pass)
      if (code === 0) resolve()
      else process.exit(code ?? (signal === 'SIGINT' ? 130 : 143))
    })
  })
}
