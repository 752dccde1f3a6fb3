import { defineConfig } from 'tsup'

// `#crypto` stays an import, so that package.json selects the file where the package is installed, not at build time.
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
