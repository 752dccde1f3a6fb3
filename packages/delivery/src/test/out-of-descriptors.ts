// The process of a test in https-transport.test.ts: uses up its file descriptors, sends a request to the URL in its
// arguments, and prints the outcome.
import { closeSync, openSync } from 'node:fs'
import { createHttpsTransport } from '../lib/http/https-transport.ts'

const transport = createHttpsTransport({ addressPolicy: { allowedCidrs: ['127.0.0.0/8'], allowedPorts: 'any' } })
const open: number[] = []
try {
  for (;;) open.push(openSync('/dev/null', 'r'))
} catch {}
const outcome = await transport.send({ url: process.argv[2] ?? '', headers: {}, body: new Uint8Array() })
for (const descriptor of open) closeSync(descriptor)
process.stdout.write(JSON.stringify(outcome))
