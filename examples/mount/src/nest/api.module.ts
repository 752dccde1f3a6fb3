import { createRouter, type Router } from '@callboard/router'
import { type BeforeApplicationShutdown, Inject, Module } from '@nestjs/common'
import { CALLBOARD, CallboardModule, type PlatformCallboard } from './callboard.module.ts'

/** Creates the router, which `main.ts` mounts. */
@Module({ imports: [CallboardModule] })
export class ApiModule implements BeforeApplicationShutdown {
  readonly router: Router
  private readonly closing = new AbortController()

  constructor(@Inject(CALLBOARD) callboard: PlatformCallboard) {
    this.router = createRouter(callboard, { closing: this.closing.signal })
  }

  /** Ends streams and waiting requests, because Nest then closes the server, which waits for them. */
  beforeApplicationShutdown(): void {
    this.closing.abort()
  }
}
