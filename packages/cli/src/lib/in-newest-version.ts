import { type Callboard, createCallboard, defineCatalog } from '@callboard/core'
import { engineOf } from '@callboard/core/engine'
import { byOperator } from './by-operator.ts'
import { wrongUsage } from './command-error.ts'

/**
 * Returns a Callboard on the same store whose current format version is `asked`, or else the newest version that
 * anything in the store has. Without a config module, nothing else says what the platform's current version is.
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
    const [pinned, stored] = await Promise.all([store.versions.pinned(), store.versions.eventsOutside([], 1)])
    return [...pinned, ...stored]
      .map(({ version }) => version)
      .sort()
      .at(-1)
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
