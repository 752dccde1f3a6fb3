import { describeExample } from '@callboard-examples/smoke'

// Runs the binary itself, because npm's wrapper would otherwise receive the signals.
describeExample('Bun', ['node_modules/bun/bin/bun.exe', 'examples/bun/src/main.ts'])
