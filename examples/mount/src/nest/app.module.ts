import { Module } from '@nestjs/common'
import { ApiModule } from './api.module.ts'
import { CallboardModule } from './callboard.module.ts'
import { HooksController } from './hooks.controller.ts'
import { OrdersController } from './orders.controller.ts'
import { WorkerModule } from './worker.module.ts'

@Module({ imports: [ApiModule, CallboardModule, WorkerModule], controllers: [OrdersController, HooksController] })
export class AppModule {}
