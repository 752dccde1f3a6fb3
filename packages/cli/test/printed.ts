import type { ChildProcess } from 'node:child_process'

/** Resolves with a match in what a process has printed since this was called; rejects when it ends without. */
export function printed(child: ChildProcess, pattern: RegExp): Promise<RegExpExecArray> {
  return new Promise((resolve, reject) => {
    let text = ''
    const look = (chunk: string): void => {
      text += chunk
      const match = pattern.exec(text)
      if (match !== null) resolve(match)
    }
    child.stdout?.on('data', look)
    child.stderr?.on('data', look)
    child.once('close', () => reject(new Error(`not printed: ${pattern}, but:\n${text}`)))
  })
}
