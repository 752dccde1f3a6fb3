import { describeExample } from '@callboard-examples/smoke'

// The binary itself: npm's wrapper would take the signals in its place.
describeExample('Bun', ['node_modules/bun/bin/bun.exe', 'examples/bun/src/main.ts'])
