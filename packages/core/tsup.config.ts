import { defineConfig } from 'tsup'

// The build does not resolve the import `#crypto`: when a program imports the installed package, `imports` in its
// package.json selects the file for the program's runtime.
export default defineConfig({
  entry: [
    'src/index.ts',
    'src/store.ts',
    'src/engine.ts',
    'src/lib/secrets/crypto-node.ts',
    'src/lib/secrets/crypto-web.ts',
  ],
  external: ['#crypto'],
  format: 'esm',
  dts: { entry: ['src/index.ts', 'src/store.ts', 'src/engine.ts'] },
  clean: true,
  target: 'es2023',
})
