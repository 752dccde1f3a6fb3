import { StartError } from '@callboard-examples/ticketing/demo'
import { ReceiverError } from './receiver-error.ts'
import { runReceiver } from './run-receiver.ts'
import { readSettings } from './settings.ts'

function fail(error: unknown): never {
  console.error(error instanceof ReceiverError || error instanceof StartError ? error.message : error)
  process.exit(1)
}

const print = (line: string): void => console.log(line)
const receiver = await readSettings(process.env)
  .then((settings) => runReceiver({ ...settings, print }))
  .catch(fail)

let isClosing = false
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    // The terminal sends a Ctrl-C to this process, and npm or pnpm then forwards it again, so only the first signal
    // counts.
    if (isClosing) return
    isClosing = true
    receiver.close().then(() => process.exit(0), fail)
  })
