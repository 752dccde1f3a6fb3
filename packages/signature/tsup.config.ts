import { defineConfig } from 'tsup'

// `#crypto` stays an import, because the receiver's runtime chooses between the two files through package.json.
export default defineConfig({
  entry: ['src/index.ts', 'src/request.ts', 'src/lib/crypto-node.ts', 'src/lib/crypto-web.ts'],
  external: ['#crypto'],
  format: 'esm',
  dts: { entry: ['src/index.ts', 'src/request.ts'] },
  clean: true,
  target: 'es2023',
})
