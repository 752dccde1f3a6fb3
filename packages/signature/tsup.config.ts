import { defineConfig, type Options } from 'tsup'

// `#crypto` is not bundled: package.json maps it to one of two files, depending on the receiver's runtime.
export default defineConfig({
  entry: [
    'src/index.ts',
    'src/request.ts',
    'src/lib/crypto-node.ts',
    'src/lib/crypto-web.ts',
    'src/lib/webhook-verification-error.ts',
  ],
  external: ['#crypto'],
  esbuildPlugins: [shareErrorClass()],
  format: ['esm', 'cjs'],
  dts: { entry: ['src/index.ts', 'src/request.ts'] },
  clean: true,
  target: 'es2023',
})

/**
 * Keeps the error class in a file of its own, so that both entry points throw the same class: esbuild does not split
 * CommonJS into shared chunks.
 */
function shareErrorClass(): NonNullable<Options['esbuildPlugins']>[number] {
  return {
    name: 'share-error-class',
    setup({ initialOptions, onResolve }) {
      const extension = initialOptions.format === 'cjs' ? 'cjs' : 'js'
      onResolve({ filter: /\/webhook-verification-error\.ts$/ }, ({ kind }) =>
        kind === 'entry-point'
          ? undefined
          : { path: `./lib/webhook-verification-error.${extension}`, external: true, sideEffects: false },
      )
    },
  }
}
