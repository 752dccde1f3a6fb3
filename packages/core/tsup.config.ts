import { defineConfig } from 'tsup'

// `#crypto` stays an import: package.json decides at the receiver's, not here, which of the two files it is.
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
