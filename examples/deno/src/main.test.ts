import { describeExample } from '@callboard-examples/smoke'

// Starts the runtime's binary directly, because npm's wrapper script would receive the signals that the test sends.
const binary = `node_modules/deno/deno${process.platform === 'win32' ? '.exe' : ''}`

describeExample('Deno', [binary, 'run', '-A', 'examples/deno/src/main.ts'])
