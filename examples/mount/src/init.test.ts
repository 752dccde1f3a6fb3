import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { freePort, startPostgres, type TestPostgres } from '@callboard/testbed'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect, it } from 'vitest'

const execute = promisify(execFile)
const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
// In this folder, projects find the packages and frameworks that the examples have.
const projects = at('../.generated/init')
const cli = fileURLToPath(new URL('main.ts', import.meta.resolve('callboard')))
const tsc = at('../../../node_modules/.bin/tsc')

let postgres: TestPostgres
beforeAll(async () => {
  await rm(projects, { recursive: true, force: true })
  postgres = await startPostgres()
})
afterAll(() => postgres.stop())

const NODENEXT = { module: 'nodenext', outDir: './dist' }

/** Creates a project, and writes the files of `callboard init` into it. */
async function init(name: string, manifest: object | undefined, compilerOptions?: object): Promise<string> {
  const folder = join(projects, name)
  await mkdir(folder, { recursive: true })
  if (manifest !== undefined) await writeFile(join(folder, 'package.json'), JSON.stringify(manifest))
  const tsconfig = { compilerOptions, include: ['**/*.ts', '**/*.mts'] }
  if (compilerOptions !== undefined) await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(tsconfig))
  await execute(process.execPath, [cli, 'init'], { cwd: folder })
  return folder
}

/** Starts a file, and waits until it prints the line. Returns its output, line by line. */
async function start(folder: string, file: string, ready: string, env: Record<string, string>) {
  const child = spawn(process.execPath, [file], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] })
  process.once('exit', () => child.kill('SIGKILL'))
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  for (let line = await lines.next(); line.value !== ready; line = await lines.next())
    if (line.done) throw new Error(`${file} ended`)
  return { child, lines }
}

/** Compiles each file as `tsc` would, but without checking types. Returns the folder of the output. */
async function compiled(folder: string): Promise<string> {
  const outdir = join(folder, 'dist')
  await build({ entryPoints: [join(folder, '*.mts')], outdir, format: 'esm', outExtension: { '.js': '.mjs' } })
  return outdir
}

async function stopped(child: ChildProcess, signal: NodeJS.Signals): Promise<unknown[]> {
  const exited = once(child, 'exit')
  child.kill(signal)
  return exited
}

it.concurrent.each([
  ['an empty folder', 'empty', undefined, undefined, 'ts'],
  ['an Express project in compiled TypeScript', 'express', { dependencies: { express: '5' } }, NODENEXT, 'mjs'],
  ['a Hono project in JavaScript', 'hono', { type: 'module', dependencies: { hono: '4' } }, undefined, 'js'],
])(
  'the files that `callboard init` writes lead from %s to a verified delivery',
  async (_, name, manifest, options, extension) => {
    const folder = await init(name, manifest, options)
    const run = options === undefined ? folder : await compiled(folder)
    const [DATABASE_URL, PORT] = [await postgres.createDatabase(), String(await freePort())]
    const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env
    const SECRET_KEY = Buffer.alloc(32, 7).toString('base64')
    const env = { PATH, NODE_COMPILE_CACHE, DATABASE_URL, SECRET_KEY, PORT, NODE_ENV: 'development' }
    const { stdout } = await execute(process.execPath, [`customer.${extension}`], { cwd: run, env })
    const server = await start(run, `server.${extension}`, 'ready', env)
    const api = {
      PATH,
      NODE_COMPILE_CACHE,
      API_URL: `http://127.0.0.1:${PORT}`,
      API_KEY: stdout.trim(),
      RECEIVER_PORT: '0',
    }
    const receiver = await start(run, `receiver.${extension}`, 'subscribed', api)

    const headers = { 'content-type': 'application/json' }
    const sold = await fetch(`${api.API_URL}/orders`, { method: 'POST', headers, body: '{"email":"ada@example.com"}' })
    const { id } = (await sold.json()) as { id: string }
    const received = `order.paid {"order":{"id":"${id}","buyer":{"entity_id":"per_1"}}}`
    expect((await receiver.lines.next()).value).toBe(received)
    const catalog = await execute(process.execPath, [cli, 'catalog', 'list'], { cwd: folder, env })
    expect(catalog.stdout).toContain('order.paid')
    expect(await stopped(receiver.child, 'SIGINT')).toEqual([0, null])
    expect(await stopped(server.child, 'SIGTERM')).toEqual([0, null])
  },
)

it('TypeScript accepts the files for every framework', async () => {
  const compilerOptions = {
    ...{ module: 'esnext', moduleResolution: 'bundler', target: 'es2023', strict: true, skipLibCheck: true },
    ...{ types: ['node'], noEmit: true, rewriteRelativeImportExtensions: true, experimentalDecorators: true },
  }
  await Promise.all(
    ['express', 'fastify', 'hono', '@nestjs/core', 'next'].map((name) =>
      init(`types/${name}`, { dependencies: { [name]: '1' } }, compilerOptions),
    ),
  )
  const tsconfig = { compilerOptions, include: ['**/*.ts', '**/*.mts'] }
  await writeFile(join(projects, 'types/tsconfig.json'), JSON.stringify(tsconfig))
  const { stdout } = await execute(tsc, ['-p', join(projects, 'types')]).catch((error: { stdout: string }) => error)
  expect(stdout).toBe('')
})
