// Next's own server for the app in this folder, which it compiles on demand: prints the port. In a process of its own, since
// Next changes globals; in JavaScript, since under NodeNext its types do not say what its default export is.
import { createServer } from 'node:http'
import next from 'next'

const app = next({ dev: true, dir: import.meta.dirname, quiet: true })
await app.prepare()
const handle = app.getRequestHandler()
const server = createServer((request, response) => void handle(request, response))
server.listen(0, '127.0.0.1', () => console.log(`listening on ${server.address().port}`))
