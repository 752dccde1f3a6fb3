import {
  dataDirOf,
  prepareDataDir,
  readDemoAccess,
  readOrMakeDemoCertificate,
} from '@callboard-examples/ticketing/demo'
import { ReceiverError } from './receiver-error.ts'
import type { RunReceiverOptions } from './run-receiver.ts'

/**
 * Reads where to subscribe and where to listen. `CALLBOARD_URL` and `CALLBOARD_KEY` default to the values that the last
 * start of the platform stored in `.data/`. `RECEIVER_PORT` defaults to 8788. With a fixed port, the target URL stays
 * the same, so that the next run finds the subscription of a run that was killed.
 */
export async function readSettings(
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Omit<RunReceiverOptions, 'print'>> {
  const dataDir = dataDirOf(environment)
  await prepareDataDir(dataDir)
  const demo = await readDemoAccess(dataDir)
  const url = environment['CALLBOARD_URL'] || demo?.url
  const key = environment['CALLBOARD_KEY'] || demo?.key
  if (url === undefined || key === undefined)
    throw new ReceiverError('No platform has been started yet. Run npm start, or set CALLBOARD_URL and CALLBOARD_KEY.')
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? ''))
    throw new ReceiverError('CALLBOARD_URL must be a URL such as http://localhost:8787.')
  const port = environment['RECEIVER_PORT'] || '8788'
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535)
    throw new ReceiverError('RECEIVER_PORT must be a port from 0 to 65535.')
  return {
    access: { url: url.replace(/\/+$/, ''), key },
    certificate: await readOrMakeDemoCertificate(dataDir),
    port: Number(port),
  }
}
