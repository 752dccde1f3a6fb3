import express, { type Express } from 'express'
import fastify, { type FastifyInstance } from 'fastify'
import { Hono } from 'hono'
import { receive } from './example.ts'

export function onExpress(secret: string, seen: Set<string>): Express {
  // #region express
  const app = express()
  app.post('/hooks', express.raw({ type: 'application/json', limit: '1mb' }), async (req, res) => {
    res.sendStatus(await receive(req, secret, seen))
  })
  app.use(express.json()) // parses the bodies of all other routes, so it comes after this route
  // #endregion
  return app
}

export function onFastify(secret: string, seen: Set<string>): FastifyInstance {
  const app = fastify()
  // #region fastify
  app.register(async (hooks) => {
    // A separate plugin, so that other routes still get parsed JSON.
    hooks.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_req, body, done) => done(null, body))
    hooks.post('/hooks', async (req, reply) => reply.code(await receive(req, secret, seen)).send())
  })
  // #endregion
  return app
}

export function onHono(secret: string, seen: Set<string>): Hono {
  const app = new Hono()
  // #region hono
  app.post('/hooks', async (c) => new Response(null, { status: await receive(c.req, secret, seen) }))
  // #endregion
  return app
}

export function onNext(secret: string, seen: Set<string>): { POST(request: Request): Promise<Response> } {
  // #region next
  async function POST(request: Request): Promise<Response> {
    return new Response(null, { status: await receive(request, secret, seen) })
  }
  // #endregion
  return { POST }
}
