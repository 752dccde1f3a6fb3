/** Functions to call when something happens. */
export interface Listeners {
  /** Adds a listener, and returns a function that removes it. */
  add(listener: () => void): () => void
  call(): void
}

export function createListeners(): Listeners {
  const listeners = new Set<() => void>()
  return {
    add(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    call() {
      for (const listener of listeners) listener()
    },
  }
}
