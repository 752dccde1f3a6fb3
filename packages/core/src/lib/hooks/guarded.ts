/** Calls a function of the platform's. What it throws, or rejects with, goes to `onThrown`. */
export function guarded(call: () => unknown, onThrown: (error: unknown) => void): void {
  try {
    Promise.resolve(call()).catch(onThrown)
  } catch (error) {
    onThrown(error)
  }
}
