import { defineConfig } from 'tsup'

export default defineConfig({
  entry: ['src/index.ts', 'src/main.ts'],
  format: 'esm',
  dts: { entry: ['src/index.ts'] },
  clean: true,
  target: 'es2023',
})
