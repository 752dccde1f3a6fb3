import { posix } from 'node:path'
import { resolveCommand } from 'package-manager-detector/commands'
import { emits, importsOutput, outputOf, type PlannedFile, usesNestBuild } from './plan-files.ts'
import type { Project } from './read-project.ts'
import type { Framework } from './templates.ts'

/** One thing to do after `callboard init`. */
export interface Step {
  readonly what: string
  /** Lines for a shell. */
  readonly run: readonly string[]
}

const PLATFORM = ['core', 'delivery', 'router', 'store-postgres'].map((name) => `@callboard/${name}`)
const RECEIVER = ['@callboard/client', '@callboard/signature']
const SERVERS: Readonly<Record<Framework, readonly string[]>> = {
  express: ['express'],
  fastify: ['fastify'],
  hono: ['hono', '@hono/node-server'],
  nest: ['@nestjs/common', '@nestjs/core', '@nestjs/platform-express', 'reflect-metadata', 'rxjs'],
  next: ['next'],
  node: [],
}

/** What to do with the files of a project, in order. `skipped` are the paths of files that the project had already. */
export function nextSteps(project: Project, files: readonly PlannedFile[], skipped: readonly string[]): Step[] {
  const mounts = mountSteps(project, files, skipped)
  return [
    { what: 'Install:', run: installLines(project) },
    ...mounts,
    ...compilerSteps(project),
    {
      what: 'Set the environment. SECRET_KEY seals the signing secrets in the database, so keep it:',
      run: [
        'export DATABASE_URL=postgres://localhost/shop',
        'export SECRET_KEY=$(openssl rand -base64 32)',
        'export NODE_ENV=development    # allows receivers on this machine',
      ],
    },
    {
      what: 'Create the tables, and an account with a key:',
      run: [`API_KEY=$(${run('customer', project, files)}) && export API_KEY`],
    },
    { what: 'Start the server:', run: [startCommand(project, files)] },
    {
      what: 'In a second terminal, with the same API_KEY (and API_URL, if it is not http://127.0.0.1:3000), receive:',
      run: [run('receiver', project, files)],
    },
    mounts.length > 0 && skipped.some((path) => posix.parse(path).name === 'server') ? PUBLISH : SELL,
    { what: 'With the environment of the server, see whether anything is wrong:', run: ['npx callboard status'] },
  ].filter((step) => step.run.length > 0)
}

const SELL: Step = {
  what: 'In a third terminal, sell something. The receiver prints the event:',
  run: [`curl -s http://127.0.0.1:3000/orders -H 'content-type: application/json' -d '{"email":"ada@example.com"}'`],
}

/** For a server of the project's own, which sells something else. */
const PUBLISH: Step = {
  what: 'In a third terminal, with the environment of the server, publish an event. The receiver prints it:',
  run: [
    'npx callboard events publish order.paid --account acc_1 --subject order:ord_1 ' +
      `--data '{"order":{"id":"ord_1","buyer":{"entity_id":"per_1","email":"ada@example.com"}}}'`,
  ],
}

/** The lines to add to servers that were there already. Empty if `callboard init` ran before. */
function mountSteps({ framework }: Project, files: readonly PlannedFile[], skipped: readonly string[]): Step[] {
  if (skipped.some((path) => posix.parse(path).name === 'callboard')) return []
  return files
    .filter(({ path }) => skipped.includes(path) && /(?:server|main|app\.module|instrumentation)\.m?[jt]s$/.test(path))
    .map(({ path, text }) => ({
      what: `Add to ${path}, which was there already:`,
      run:
        framework === 'nest' ? nestLines(text) : framework === 'next' ? text.trimEnd().split('\n') : mountLines(text),
    }))
}

/** The statements that mount the router, run the worker, and stop both. */
function mountLines(text: string): string[] {
  const statements = text.split(/\n(?=[^\s})])/)
  return statements.filter((each) => MOUNTS.test(each)).flatMap((each) => each.trimEnd().split('\n'))
}

const MOUNTS = /^(?:.*(?:callboard|router)\b|process\.once\b)/i
/**
 * What every Nest application has in its own files. A dot stands for the quotation mark, because the check of packages
 * would take it for an import.
 */
const OWN_LINES =
  /^(?:$|import .reflect|import \{ (?:Module|NestFactory|AppModule) \}|export|await app\.listen|console)/

/** The lines of a Nest file to add to one's own, with their imports. The options of a decorator are parts of it. */
function nestLines(text: string): string[] {
  return text
    .split('\n')
    .filter((line) => !OWN_LINES.test(line))
    .map((line) => line.replace(/^@Module\(\{ (.*) \}\)$/, '// to the options of @Module: $1'))
    .map((line) => line.replace(/^const app = (.*)$/, '// create the application so: const app = $1'))
}

function startCommand(project: Project, files: readonly PlannedFile[]): string {
  const { framework } = project
  return framework === 'next' ? 'npx next dev' : run(framework === 'nest' ? 'main' : 'server', project, files)
}

function installLines({ framework, installed, packageManager, typescript }: Project): string[] {
  const line = (option: readonly string[], packages: readonly string[]): string[] => {
    const missing = packages.filter((name) => !installed.has(name))
    const { command, args } = resolveCommand(packageManager, 'add', [...option, ...missing]) ?? {
      command: 'npm',
      args: [],
    }
    return missing.length === 0 ? [] : [[command, ...args].join(' ')]
  }
  return [
    ...line([], ['callboard', ...PLATFORM, ...SERVERS[framework], 'pg', 'zod', ...RECEIVER]),
    ...(typescript
      ? line(['-D'], ['@types/node', '@types/pg', ...(framework === 'express' ? ['@types/express'] : [])])
      : []),
  ]
}

/** What to change in tsconfig.json before TypeScript accepts the files, and how to compile them. */
function compilerSteps(project: Project): Step[] {
  const { tsconfig, framework } = project
  if (tsconfig === undefined) return []
  const { allowImportingTsExtensions, module = '', moduleResolution = '', rewriteRelativeImportExtensions } = tsconfig
  const steps: Step[] = []
  if (framework === 'next' && !allowImportingTsExtensions && !rewriteRelativeImportExtensions)
    steps.push({
      what: 'In tsconfig.json, because Node also runs these files, set:',
      run: ['"allowImportingTsExtensions": true'],
    })
  if (/^(?:node10|node|classic)$/i.test(moduleResolution) || (moduleResolution === '' && /^commonjs$/i.test(module)))
    steps.push({
      what: 'In tsconfig.json, so that TypeScript finds packages by their `exports`, set:',
      run: ['"module": "nodenext", "moduleResolution": "nodenext"'],
    })
  if (importsOutput(project) && emits(project))
    steps.push({ what: 'Compile:', run: [usesNestBuild(project) ? 'npx nest build' : 'npx tsc'] })
  return steps
}

/** The command that runs a file, after compiling it where Node cannot run it directly. */
function run(name: string, project: Project, files: readonly PlannedFile[]): string {
  const path = files.find((file) => posix.parse(file.path).name === name)?.path ?? ''
  const needsTsx = project.typescript && importsOutput(project) && !emits(project)
  return needsTsx ? `npx tsx ${path}` : `node ${outputOf(path, project)}`
}
