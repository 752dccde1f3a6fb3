import { startWorker, type Worker } from '@callboard/delivery'
import { type BeforeApplicationShutdown, Inject, Module, type OnApplicationBootstrap } from '@nestjs/common'
import { CALLBOARD, CallboardModule, type PlatformCallboard } from './callboard.module.ts'

/** Runs a worker from the application's start until its shutdown. */
@Module({ imports: [CallboardModule] })
export class WorkerModule implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private worker: Worker | undefined

  constructor(@Inject(CALLBOARD) private readonly callboard: PlatformCallboard) {}

  async onApplicationBootstrap(): Promise<void> {
    this.worker = await startWorker(this.callboard)
  }

  /** Waits for deliveries in flight. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.worker?.stop()
  }
}
