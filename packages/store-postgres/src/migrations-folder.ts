/** The folder of the `.sql` files: one level above this file, in the source and in the built package. */
export const migrationsFolder: URL = above(import.meta.url)

/**
 * This is a function, because bundlers treat `new URL('…', import.meta.url)` as a file to bundle, and Next's build
 * fails if that is a folder.
 */
function above(module: string): URL {
  return new URL('../migrations/', module)
}
