import { type Callboard, createCallboard, defineCatalog } from '@callboard/core'
import { engineOf } from '@callboard/core/engine'
import { byOperator } from './by-operator.ts'
import { wrongUsage } from './command-error.ts'

/**
 * Returns a Callboard on the same store whose current format version is `asked`, by default the newest one in use in
 * the store. The default is a guess, because only a config module knows the platform's.
 *
 * @throws CommandError if no version was asked for and the store knows none.
 */
export async function inNewestVersion(
  callboard: Callboard,
  asked: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Callboard> {
  const { store } = engineOf(callboard)
  const newest = async (): Promise<string | undefined> => {
    let [newestSoFar] = (await store.versions.pinned()).map(({ version }) => version)
    // `eventsOutside` may find a version that is not the newest, so it is called until it finds no newer version.
    for (;;) {
      const known = newestSoFar === undefined ? [] : [newestSoFar]
      const [found] = await store.versions.eventsOutside(known, 1)
      if (found === undefined || (newestSoFar !== undefined && found.version < newestSoFar)) return newestSoFar
      newestSoFar = found.version
    }
  }
  const version = asked ?? (await newest())
  if (version === undefined)
    throw wrongUsage(
      'Nothing in this database has a format version yet: name the version of your catalogue with --api-version, or ' +
        'run this in the folder of callboard.config.ts.',
    )
  const newer = createCallboard({
    catalog: defineCatalog({ version, types: [] }),
    store,
    secretKeys: { current: 'none', keys: { none: crypto.getRandomValues(new Uint8Array(32)) } },
    keyPrefix: env['CALLBOARD_KEY_PREFIX'],
  })
  return byOperator(newer, env)
}
