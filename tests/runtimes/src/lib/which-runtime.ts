// Prints which runtime runs it. Uses only what all runtimes share, and has a type to strip.
const { versions, argv }: { versions: Readonly<Record<string, string | undefined>>; argv: readonly string[] } = process
const runtime = versions['bun'] !== undefined ? 'bun' : versions['deno'] !== undefined ? 'deno' : 'node'
const version = versions[runtime]
process.stdout.write(JSON.stringify({ runtime, version, values: argv.slice(2) }))
