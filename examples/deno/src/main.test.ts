import { describeExample } from '@callboard-examples/smoke'

// Runs the binary itself, because npm's wrapper would otherwise receive the signals.
const binary = `node_modules/deno/deno${process.platform === 'win32' ? '.exe' : ''}`

describeExample('Deno', [binary, 'run', '-A', 'examples/deno/src/main.ts'])
