/** Where the `.sql` files are: one level up from here, in the source as in the built package. */
export const migrationsFolder: URL = new URL('../migrations/', import.meta.url)
