import { defineConfig } from 'tsup'

export default defineConfig({
  entry: ['src/index.ts', 'src/german.ts'],
  noExternal: ['@callboard/handler'],
  format: 'esm',
  dts: true,
  clean: true,
  target: 'es2023',
})
