/** The folder of the `.sql` files. It is one level above this file, both in the source and in the built package. */
export const migrationsFolder: URL = above(import.meta.url)

/**
 * This is a function, because bundlers try to bundle whatever `new URL('…', import.meta.url)` names, and Next's build
 * fails if that is a folder.
 */
function above(module: string): URL {
  return new URL('../migrations/', module)
}
