import { describeExample } from '@callboard-examples/smoke'

// The binary itself: npm's wrapper would take the signals in its place.
const binary = `node_modules/deno/deno${process.platform === 'win32' ? '.exe' : ''}`

describeExample('Deno', [binary, 'run', '-A', 'examples/deno/src/main.ts'])
