import { describeExample } from '@callboard-examples/smoke'

// Starts the runtime's binary directly, because npm's wrapper script would receive the signals that the test sends.
describeExample('Bun', ['node_modules/bun/bin/bun.exe', 'examples/bun/src/main.ts'])
