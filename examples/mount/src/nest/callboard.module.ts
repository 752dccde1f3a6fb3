import type { Callboard } from '@callboard/core'
import { Inject, Module, type OnApplicationShutdown } from '@nestjs/common'
import { Pool, type PoolClient } from 'pg'
import { callboard, pool } from '../callboard.ts'

/** The token of Callboard: `@Inject(CALLBOARD) private readonly callboard: PlatformCallboard`. */
export const CALLBOARD = 'callboard'
export type PlatformCallboard = Callboard<typeof callboard.catalog, PoolClient>

/** Provides Callboard and its pool to the modules that import it. */
@Module({
  providers: [
    { provide: CALLBOARD, useValue: callboard },
    { provide: Pool, useValue: pool },
  ],
  exports: [CALLBOARD, Pool],
})
export class CallboardModule implements OnApplicationShutdown {
  constructor(@Inject(Pool) private readonly pool: Pool) {}

  /** Nest calls this last, when nothing uses the pool any more. */
  async onApplicationShutdown(): Promise<void> {
    await this.pool.end()
  }
}
