import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { initTemplates } from '../../../test/init-templates.ts'
import { runProgram } from '../program.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'callboard-init-'))
})
afterEach(() => rm(folder, { recursive: true }))

/** Writes files into the project's folder. */
async function project(files: Readonly<Record<string, unknown>>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), typeof content === 'string' ? content : JSON.stringify(content))
  }
}

async function init(...options: readonly string[]) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const code = await runProgram(['init', ...options], '0.0.0', {
    ...{ stdin: Readable.from([]), stdout, stderr, env: {}, folder },
    signal: () => new AbortController().signal,
  })
  stdout.end()
  stderr.end()
  return { code, stdout: await text(stdout), stderr: await text(stderr) }
}

const files = async () =>
  (await readdir(folder, { recursive: true, withFileTypes: true })).filter((one) => one.isFile())

describe('callboard init', () => {
  it('writes the files of the docs and the examples (run `pnpm docs:code` to update them)', async () => {
    const written = await readFile(new URL('../init/templates.generated.ts', import.meta.url), 'utf8')
    expect(written).toBe(await initTemplates())
  })

  it('writes a whole project into an empty folder, and nothing when it runs again', async () => {
    const first = await init()
    expect(first.stdout.split('\n')).toEqual([
      'package.json',
      'callboard.ts',
      'customer.ts',
      'receiver.ts',
      'server.ts',
      'callboard.config.ts',
      '',
    ])
    expect(first.stderr).toContain('npm i callboard @callboard/core')
    expect(first.stderr).toContain('  npx callboard status\n')
    expect(first.stderr).toContain('API_KEY=$(node customer.ts) && export API_KEY')
    const again = await init()
    expect([again.code, again.stdout]).toEqual([0, ''])
    expect(again.stderr).toContain('server.ts is there already, and stays as it is.')
    expect(again.stderr).not.toContain('Add to')
  })

  it('never overwrites a file, and says which it skipped', async () => {
    await project({ 'package.json': { type: 'module', dependencies: { express: '5' } }, 'server.js': '// mine' })
    const { stdout, stderr } = await init()
    expect(stdout).toBe('callboard.js\ncustomer.js\nreceiver.js\ncallboard.config.js\n')
    expect(stderr).toContain('server.js is there already, and stays as it is.')
    expect(stderr).toContain('Add to server.js, which was there already:\n  import { startWorker }')
    expect(stderr).toContain("  app.use(['/v1', '/openapi.json'], toNodeHandler(router))\n")
    expect(stderr).toContain("  process.once('SIGTERM', async () => {\n    closing.abort()\n")
    expect(stderr).toContain('  npx callboard events publish order.paid --account acc_1')
    expect(await readFile(join(folder, 'server.js'), 'utf8')).toBe('// mine')
  })

  it('keeps a config module that the project has under another name', async () => {
    await project({ 'package.json': { type: 'module' }, 'callboard.config.mjs': '// mine' })
    const { stdout, stderr } = await init()
    expect(stdout).not.toContain('config')
    expect(stderr).toContain('callboard.config.mjs is there already, and stays as it is.')
  })

  it('writes nothing with --dry-run', async () => {
    expect((await init('--dry-run')).stdout).toContain('server.ts')
    expect(await files()).toEqual([])
  })

  it('uses the folder, the package manager and the packages of the project', async () => {
    await project({
      'package.json': { type: 'module', dependencies: { hono: '4', pg: '8' }, devDependencies: { typescript: '6' } },
      'pnpm-lock.yaml': '',
      'src/index.ts': '',
    })
    const { stdout, stderr } = await init()
    expect(stdout).toMatch(/^src\/server\.ts$/m)
    expect(stderr).toContain(
      'pnpm add callboard @callboard/core @callboard/delivery @callboard/router @callboard/store-postgres @hono/node-server zod',
    )
  })

  it.each([
    [
      'JavaScript without "type": "module"',
      {},
      undefined,
      {
        file: 'server.mjs',
        imports: './callboard.mjs',
        command: 'node server.mjs',
        config: 'callboard.config.mjs',
        platform: './callboard.mjs',
      },
    ],
    [
      'TypeScript that Node runs',
      {},
      { rewriteRelativeImportExtensions: true },
      {
        file: 'server.mts',
        imports: './callboard.mts',
        command: 'node server.mts',
        config: 'callboard.config.mjs',
        platform: './callboard.mts',
      },
    ],
    [
      'TypeScript to compile',
      {},
      { module: 'nodenext', outDir: 'out' },
      {
        file: 'server.mts',
        imports: './callboard.mjs',
        command: 'node out/server.mjs',
        config: 'callboard.config.mjs',
        platform: './out/callboard.mjs',
      },
    ],
    [
      'compiled ES modules',
      { type: 'module' },
      { module: 'nodenext' },
      {
        file: 'server.ts',
        imports: './callboard.js',
        command: 'node server.js',
        config: 'callboard.config.js',
        platform: './callboard.js',
      },
    ],
    [
      'TypeScript for a bundler',
      { type: 'module' },
      { noEmit: true },
      {
        file: 'server.ts',
        imports: './callboard.js',
        command: 'npx tsx server.ts',
        config: 'callboard.config.ts',
        platform: './callboard.js',
      },
    ],
  ])('writes %s', async (_, manifest, compilerOptions, { file, imports, command, config, platform }) => {
    await project({
      'package.json': manifest,
      ...(compilerOptions === undefined ? {} : { 'tsconfig.json': { compilerOptions } }),
    })
    const { stderr } = await init()
    expect(await readFile(join(folder, file), 'utf8')).toContain(`} from '${imports}'`)
    expect(await readFile(join(folder, config), 'utf8')).toContain(`} from '${platform}'`)
    expect(stderr).toContain(`Start the server:\n  ${command}\n`)
  })

  it('writes the routes of a Next application, and says what to change in its tsconfig', async () => {
    await project({ 'package.json': { dependencies: { next: '16' } }, 'tsconfig.json': {}, 'src/app/page.tsx': '' })
    const { stdout, stderr } = await init()
    expect(stdout.split('\n')).toEqual(
      expect.arrayContaining(['src/callboard.ts', 'src/instrumentation.ts', 'src/app/v1/[...path]/route.ts']),
    )
    expect(await readFile(join(folder, 'src/app/v1/[...path]/route.ts'), 'utf8')).toContain(
      "import('../../../callboard.ts')",
    )
    expect(stderr).toContain('"allowImportingTsExtensions": true')
  })

  it('names all lines of the instrumentation for a Next application that has its own', async () => {
    await project({ 'package.json': { dependencies: { next: '16' } }, 'instrumentation.js': '// mine' })
    expect((await init()).stderr).toContain(
      'Add to instrumentation.js, which was there already:\n  /** Next calls this once, when its server starts.',
    )
  })

  it('writes modules for a Nest application, and says what to add to its own files', async () => {
    await project({
      'package.json': { dependencies: { '@nestjs/core': '12', express: '5' } },
      'tsconfig.json': '{ "compilerOptions": { "module": "nodenext", "outDir": "./dist" /* as Nest has it */ } }',
      'src/main.ts': '// mine',
    })
    const { stdout, stderr } = await init()
    expect(stdout.split('\n')).toEqual(
      expect.arrayContaining(['src/callboard.ts', 'src/callboard.module.ts', 'src/customer.mts', 'src/app.module.ts']),
    )
    expect(stderr).toContain("  app.use(['/v1', '/openapi.json'], toNodeHandler(app.get(ApiModule).router))\n")
    expect(stderr).toContain("import type { NestExpressApplication } from '@nestjs/platform-express'\n")
    expect(stderr).toContain('  app.enableShutdownHooks()\n')
    expect(stderr).not.toContain('import { AppModule }')
    expect(stderr).toContain('Compile:\n  npx tsc\n')
    expect(stderr).toContain('API_KEY=$(node dist/customer.mjs) && export API_KEY')
    expect(stderr).toContain('node dist/main.js')
    expect(await readFile(join(folder, 'callboard.config.mjs'), 'utf8')).toContain("'./dist/callboard.js'")
  })

  it('names the lines to add to the module of a Nest application, and what its own tools compile', async () => {
    await project({
      'package.json': { dependencies: { '@nestjs/core': '12' }, devDependencies: { '@nestjs/cli': '12' } },
      'tsconfig.json': { compilerOptions: { module: 'nodenext', outDir: './dist', rootDir: './' } },
      'src/app.module.ts': '// mine',
    })
    const { stderr } = await init()
    expect(stderr).toContain("  import { OrdersController } from './orders.controller.js'\n")
    expect(stderr).toContain('imports: [ApiModule, CallboardModule, WorkerModule], controllers: [OrdersController]\n')
    expect(stderr).not.toContain('class AppModule')
    expect(stderr).toContain('Compile:\n  npx nest build\n')
    expect(stderr).toContain('node dist/customer.mjs')
  })

  it('says that TypeScript must resolve packages by their exports', async () => {
    await project({ 'package.json': {}, 'tsconfig.json': { compilerOptions: { module: 'commonjs' } } })
    expect((await init()).stderr).toContain('"module": "nodenext", "moduleResolution": "nodenext"')
  })

  it('changes nothing if it cannot find what tsconfig.json extends', async () => {
    await project({ 'package.json': {}, 'tsconfig.json': { extends: '@tsconfig/node22/tsconfig.json' } })
    const { code, stderr } = await init()
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^error: tsconfig\.json cannot be read: .* Install/)])
    expect(await files()).toHaveLength(2)
  })

  it('changes nothing if it cannot read package.json', async () => {
    await project({ 'package.json': '{' })
    expect(await init()).toEqual({
      code: 1,
      stdout: '',
      stderr: 'error: package.json cannot be read. Correct it first.\n',
    })
    expect(await files()).toHaveLength(1)
  })
})
