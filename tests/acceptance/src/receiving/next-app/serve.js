// Runs Next's own server for the app in this folder, which it compiles on demand, and prints the port. In a separate
// process, because Next changes globals. In JavaScript, because under NodeNext its types lack the default export.
import { createServer } from 'node:http'
import next from 'next'

const app = next({ dev: true, dir: import.meta.dirname, quiet: true })
await app.prepare()
const handle = app.getRequestHandler()
const server = createServer((request, response) => void handle(request, response))
server.listen(0, '127.0.0.1', () => console.log(`listening on ${server.address().port}`))
