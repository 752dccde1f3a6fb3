/** Where the `.sql` files are: one level up from here, in the source as in the built package. */
export const migrationsFolder: URL = above(import.meta.url)

/**
 * By a function: bundlers take `new URL('…', import.meta.url)` for a file to bundle, and Next's build fails on a
 * folder.
 */
function above(module: string): URL {
  return new URL('../migrations/', module)
}
