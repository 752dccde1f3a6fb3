import { createServer } from 'node:http'
import { json } from 'node:stream/consumers'
import { startWorker } from '@callboard/delivery'
import { toNodeHandler } from '@callboard/router/node'
import { callboard, closing, pool, router } from './callboard.ts'

// #region sell
async function sell(email: string): Promise<{ id: string }> {
  const id = `ord_${crypto.randomUUID()}`
  const tx = await pool.connect()
  try {
    await tx.query('begin')
    await tx.query('insert into orders (id, email) values ($1, $2)', [id, email])
    const data = { order: { id, buyer: { entity_id: 'per_1', email } } }
    await callboard.publish({ accountId: 'acc_1', type: 'order.paid', subject: { type: 'order', id }, data }, { tx })
    await tx.query('commit') // the order and its event are committed together
    return { id }
  } catch (error) {
    await tx.query('rollback')
    throw error
  } finally {
    tx.release()
  }
}
// #endregion

const api = toNodeHandler(router) // answers /v1/… and /openapi.json
const worker = await startWorker(callboard) // delivers; it can run in its own process instead

const server = createServer(async (request, response) => {
  if (request.url !== '/orders') return api(request, response)
  try {
    const { email } = (await json(request)) as { email: string }
    response.end(`${JSON.stringify(await sell(email))}\n`)
  } catch (error) {
    console.error(error)
    response.writeHead(500).end()
  }
})
server.listen(Number(process.env['PORT'] ?? 3000), '127.0.0.1', () => console.log('ready'))

process.once('SIGTERM', async () => {
  closing.abort()
  await Promise.all([new Promise((closed) => server.close(closed)), worker.stop()])
  await pool.end()
})
