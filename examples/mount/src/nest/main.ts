import 'reflect-metadata'
import { toNodeHandler } from '@callboard/router/node'
import { NestFactory } from '@nestjs/core'
import type { NestExpressApplication } from '@nestjs/platform-express'
import { ApiModule } from './api.module.ts'
import { AppModule } from './app.module.ts'

const app = await NestFactory.create<NestExpressApplication>(AppModule, { rawBody: true })
app.use(['/v1', '/openapi.json'], toNodeHandler(app.get(ApiModule).router))
app.enableShutdownHooks()
await app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1')
console.log('ready')
