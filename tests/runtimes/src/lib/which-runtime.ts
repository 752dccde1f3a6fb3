// Prints which runtime runs this program. Uses only APIs that all runtimes share, and contains a type annotation that
// has to be stripped.
const { versions, argv }: { versions: Readonly<Record<string, string | undefined>>; argv: readonly string[] } = process
const runtime = versions['bun'] !== undefined ? 'bun' : versions['deno'] !== undefined ? 'deno' : 'node'
const version = versions[runtime]
process.stdout.write(JSON.stringify({ runtime, version, values: argv.slice(2) }))
