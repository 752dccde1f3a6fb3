import { describeExample } from '@callboard-examples/smoke'

// The binary itself, because npm's wrapper would receive the signals instead.
describeExample('Bun', ['node_modules/bun/bin/bun.exe', 'examples/bun/src/main.ts'])
