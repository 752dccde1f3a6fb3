import { setImmediate } from 'node:timers/promises'

/**
 * Runs `work`, and drops Node's advice to set `"type": "module"`. Every folder created by `npm init` triggers it,
 * although the config module loads anyway. Other warnings are passed on.
 */
export async function withoutModuleAdvice<T>(work: () => Promise<T>): Promise<T> {
  // Replaces the listeners, because overriding `process.emitWarning` is not enough: Node does not call it for one of
  // the two warnings that `isModuleAdvice` recognises.
  const listeners = process.listeners('warning')
  const tell = (warning: Error): void => {
    if (!isModuleAdvice(warning)) for (const listener of listeners) listener(warning)
  }
  for (const listener of listeners) process.off('warning', listener)
  process.on('warning', tell)
  try {
    return await work()
  } finally {
    // Waits, because Node emits most warnings one tick later.
    await setImmediate()
    process.off('warning', tell)
    for (const listener of listeners) process.on('warning', listener)
  }
}

function isModuleAdvice(warning: Error & { readonly code?: unknown }): boolean {
  return warning.code === 'MODULE_TYPELESS_PACKAGE_JSON' || warning.message.startsWith('Failed to load the ES module')
}
