// Bundles function.js with each bundler. The only argument names the folder for the bundles.
import { join } from 'node:path'
import process from 'node:process'
import commonjs from '@rollup/plugin-commonjs'
import json from '@rollup/plugin-json'
import nodeResolve from '@rollup/plugin-node-resolve'
import esbuild from 'esbuild'
import { rollup } from 'rollup'
import webpack from 'webpack'

const [into] = process.argv.slice(2)
const input = join(import.meta.dirname, 'function.js')

// The default of AWS CDK's NodejsFunction, of SAM and of serverless-esbuild.
const bundled = { entryPoints: [input], bundle: true, platform: 'node', target: 'node22', minify: true }
await esbuild.build({ ...bundled, format: 'cjs', outfile: join(into, 'esbuild-commonjs/function.cjs') })
await esbuild.build({
  ...bundled,
  format: 'esm',
  outfile: join(into, 'esbuild-modules/function.mjs'),
  // pg is CommonJS and requires modules of Node, which an ES module can do only with this function.
  banner: { js: `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)` },
})

await new Promise((resolve, reject) => {
  webpack(
    {
      mode: 'production',
      target: 'node22',
      entry: input,
      output: { path: join(into, 'webpack'), filename: 'function.cjs', library: { type: 'commonjs2' } },
      plugins: [new webpack.IgnorePlugin({ resourceRegExp: /^(?:pg-native|cloudflare:sockets)$/ })],
    },
    (error, stats) => {
      if (error !== null || stats.hasErrors() || stats.hasWarnings()) reject(error ?? new Error(stats.toString()))
      else resolve()
    },
  )
})

const bundle = await rollup({
  input,
  external: ['pg-native', 'cloudflare:sockets'],
  plugins: [nodeResolve({ exportConditions: ['node'], preferBuiltins: true }), commonjs(), json()],
  onLog(_, { code, message }) {
    // zod has comments that Rollup cannot read, and zod and pg have modules that import each other.
    if (code !== 'INVALID_ANNOTATION' && code !== 'CIRCULAR_DEPENDENCY') throw new Error(message)
  },
})
await bundle.write({
  dir: join(into, 'rollup'),
  format: 'es',
  entryFileNames: '[name].mjs',
  chunkFileNames: '[name]-[hash].mjs',
})
await bundle.close()
