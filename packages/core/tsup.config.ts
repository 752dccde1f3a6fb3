import { defineConfig } from 'tsup'

// The build does not resolve `#crypto`: package.json selects its file when a program imports the installed package.
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
