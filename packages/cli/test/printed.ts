import type { ChildProcess } from 'node:child_process'

/** The output of each process since the process was first passed to `printed`. */
const texts = new WeakMap<ChildProcess, { text: string; ended: boolean }>()

/**
 * Resolves with the first match in the output of a process since the first call for it. Rejects when the process ends
 * without a match.
 */
export function printed(child: ChildProcess, pattern: RegExp): Promise<RegExpExecArray> {
  const heard = hear(child)
  return new Promise((resolve, reject) => {
    const look = (): void => {
      const match = pattern.exec(heard.text)
      if (match !== null) resolve(match)
      else if (heard.ended) reject(new Error(`not printed: ${pattern}, but:\n${heard.text}`))
    }
    look()
    child.stdout?.on('data', look)
    child.stderr?.on('data', look)
    child.once('close', look)
  })
}

function hear(child: ChildProcess): { readonly text: string; readonly ended: boolean } {
  const known = texts.get(child)
  if (known !== undefined) return known
  const heard = { text: '', ended: false }
  const add = (chunk: string): void => {
    heard.text += chunk
  }
  child.stdout?.on('data', add)
  child.stderr?.on('data', add)
  child.once('close', () => {
    heard.ended = true
  })
  texts.set(child, heard)
  return heard
}
