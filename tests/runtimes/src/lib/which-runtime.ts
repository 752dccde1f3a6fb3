// Says which runtime runs it: only what all of them agree on, and a type to be stripped.
const { versions, argv }: { versions: Readonly<Record<string, string | undefined>>; argv: readonly string[] } = process
const runtime = versions['bun'] !== undefined ? 'bun' : versions['deno'] !== undefined ? 'deno' : 'node'
const version = versions[runtime]
process.stdout.write(JSON.stringify({ runtime, version, values: argv.slice(2) }))
