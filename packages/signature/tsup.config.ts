import { defineConfig } from 'tsup'

// `#crypto` stays an import: package.json decides at the receiver's, not here, which of the two files it is.
export default defineConfig({
  entry: ['src/index.ts', 'src/request.ts', 'src/lib/crypto-node.ts', 'src/lib/crypto-web.ts'],
  external: ['#crypto'],
  format: 'esm',
  dts: { entry: ['src/index.ts', 'src/request.ts'] },
  clean: true,
  target: 'es2023',
})
