// The baseline for the first request: imports a small router and zod, and answers one request with them.
const since = performance.now()
const { IttyRouter } = await import('itty-router')
const { looseObject } = await import('zod')
const answer = looseObject({}).parse({})
const router = IttyRouter().get('/v1/events', () => Response.json(answer))
const response: Response = await router.fetch(new Request('http://localhost/v1/events'))
await response.text()
console.log(performance.now() - since)
