import { fork } from 'node:child_process'
import type { ServerNews } from './serve.ts'

/** A server in a process of its own. */
export interface HttpServer extends ServerNews {
  stop(): Promise<void>
}

/** Starts a module that calls `serveParent`, with these arguments. */
export function startServer(module: URL, args: readonly string[] = []): Promise<HttpServer> {
  return new Promise((resolve, reject) => {
    const child = fork(module, args, { execArgv: [] })
    child.once('exit', () => reject(new Error('the server exited')))
    child.once('message', (news) => {
      resolve({
        ...(news as ServerNews),
        stop: () =>
          new Promise((stopped) => {
            child.once('exit', () => stopped())
            child.disconnect()
          }),
      })
    })
  })
}
