import { createRouter } from '@callboard/router'
import { Hono } from 'hono'
import { handle } from 'hono/aws-lambda'
import { callboard } from '../start/callboard.ts'

const router = createRouter(callboard, { maxOpenMs: 25_000 }) // API Gateway ends a request after 30 seconds
const app = new Hono().all('*', ({ req }) => router.fetch(req.raw))

export const handler = handle(app)
