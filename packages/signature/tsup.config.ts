import { defineConfig } from 'tsup'

// `#crypto` is not bundled: package.json maps it to one of two files, depending on the receiver's runtime.
export default defineConfig({
  entry: ['src/index.ts', 'src/request.ts', 'src/lib/crypto-node.ts', 'src/lib/crypto-web.ts'],
  external: ['#crypto'],
  format: 'esm',
  dts: { entry: ['src/index.ts', 'src/request.ts'] },
  clean: true,
  target: 'es2023',
})
