// Protects those who install a package. What pnpm packs, not what lies in the folder, must resolve and carry its types
// (publint, are-the-types-wrong), hold a README and no sources or tests, and load by its name: linters do not follow
// `imports` such as `#crypto`, nor files read at run time. Run after `turbo run build`; packs into packages/*/.pack/.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'

for (const name of readdirSync('packages')) {
  const folder = resolve('packages', name)
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  if (manifest.private) continue

  const pack = join(folder, '.pack')
  rmSync(pack, { recursive: true, force: true })
  mkdirSync(pack)
  const tarball = join(pack, `${name}.tgz`)
  run('pnpm', ['pack', '--out', tarball], folder)
  run('publint', ['--strict', tarball], folder)
  const judgement = run('attw', ['--profile', 'esm-only', tarball], folder)
  if (judgement.includes('does not contain types')) fail(`${name}: ${judgement.trim()}`)

  run('tar', ['-xzf', tarball], pack)
  const unpacked = join(pack, 'package')
  const files = readdirSync(unpacked, { recursive: true, encoding: 'utf8' })
  const strays = files.filter((file) => file === 'src' || /\.test\.|(?<!\.d)\.ts$/.test(file))
  if (strays.length > 0) fail(`${name}: the tarball holds sources: ${strays.join(', ')}`)
  if (!files.includes('README.md')) fail(`${name}: the tarball holds no README.md`)

  // From inside the unpacked folder the name means the package itself, by the `exports` that were published: entries in
  // `exports` alone, such as `workspace/redact`, are for the workspace.
  for (const entry of Object.keys(manifest.publishConfig.exports)) {
    const specifier = JSON.stringify(join(manifest.name, entry))
    run('node', ['--input-type=module', '--eval', `await import(${specifier})`], unpacked)
  }
  console.log(`${manifest.name}: fine`)
}

function run(command: string, args: string[], cwd: string): string {
  const { error, status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' })
  if (error || status !== 0) fail(`${command} ${args.join(' ')}\n${error ?? `${stdout}${stderr}`}`)
  return stdout
}

function fail(message: string): never {
  console.error(message)
  process.exit(1)
}
