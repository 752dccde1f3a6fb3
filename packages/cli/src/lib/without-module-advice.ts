import { setImmediate } from 'node:timers/promises'

/**
 * Does the work without Node's advice to set `"type": "module"`. Node gives it of config modules that are read all the same, by
 * its own second look or by jiti, and `npm init` makes folders that get it. Other warnings are told.
 */
export async function withoutModuleAdvice<T>(work: () => Promise<T>): Promise<T> {
  // Not by `process.emitWarning`: one of the two goes past it.
  const listeners = process.listeners('warning')
  const tell = (warning: Error): void => {
    if (!isModuleAdvice(warning)) for (const listener of listeners) listener(warning)
  }
  for (const listener of listeners) process.off('warning', listener)
  process.on('warning', tell)
  try {
    return await work()
  } finally {
    // Node tells of most warnings a tick later.
    await setImmediate()
    process.off('warning', tell)
    for (const listener of listeners) process.on('warning', listener)
  }
}

function isModuleAdvice(warning: Error & { readonly code?: unknown }): boolean {
  return warning.code === 'MODULE_TYPELESS_PACKAGE_JSON' || warning.message.startsWith('Failed to load the ES module')
}
