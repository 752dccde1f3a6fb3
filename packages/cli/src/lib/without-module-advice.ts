import { setImmediate } from 'node:timers/promises'

/**
 * Runs `work` without Node's advice to set `"type": "module"`. Node gives that advice for config modules that load
 * anyway, through its own fallback or through jiti, and every folder from `npm init` triggers it. Other warnings are
 * passed on.
 */
export async function withoutModuleAdvice<T>(work: () => Promise<T>): Promise<T> {
  // Overriding `process.emitWarning` is not enough: one of the two warnings bypasses it.
  const listeners = process.listeners('warning')
  const tell = (warning: Error): void => {
    if (!isModuleAdvice(warning)) for (const listener of listeners) listener(warning)
  }
  for (const listener of listeners) process.off('warning', listener)
  process.on('warning', tell)
  try {
    return await work()
  } finally {
    // Node emits most warnings a tick later.
    await setImmediate()
    process.off('warning', tell)
    for (const listener of listeners) process.on('warning', listener)
  }
}

function isModuleAdvice(warning: Error & { readonly code?: unknown }): boolean {
  return warning.code === 'MODULE_TYPELESS_PACKAGE_JSON' || warning.message.startsWith('Failed to load the ES module')
}
