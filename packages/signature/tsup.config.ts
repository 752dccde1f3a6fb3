import { defineConfig } from 'tsup'

// `#crypto` is not bundled, because the receiver's runtime uses package.json to choose between the two files.
export default defineConfig({
  entry: ['src/index.ts', 'src/request.ts', 'src/lib/crypto-node.ts', 'src/lib/crypto-web.ts'],
  external: ['#crypto'],
  format: 'esm',
  dts: { entry: ['src/index.ts', 'src/request.ts'] },
  clean: true,
  target: 'es2023',
})
