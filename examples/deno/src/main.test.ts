import { describeExample } from '@callboard-examples/smoke'

// The binary itself, because npm's wrapper would receive the signals instead.
const binary = `node_modules/deno/deno${process.platform === 'win32' ? '.exe' : ''}`

describeExample('Deno', [binary, 'run', '-A', 'examples/deno/src/main.ts'])
