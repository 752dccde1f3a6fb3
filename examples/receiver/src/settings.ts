import {
  dataDirOf,
  prepareDataDir,
  readDemoAccess,
  readOrMakeDemoCertificate,
} from '@callboard-examples/ticketing/demo'
import { ReceiverError } from './receiver-error.ts'
import type { RunReceiverOptions } from './run-receiver.ts'

/**
 * Where to subscribe and what to listen with: `CALLBOARD_URL` and `CALLBOARD_KEY`, else what the platform's last start
 * left in `.data/`; `RECEIVER_PORT`, 8788 by default, so that a receiver that was killed finds its subscription again.
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
    throw new ReceiverError(
      'There is no platform yet. Start it with npm start, or set CALLBOARD_URL and CALLBOARD_KEY.',
    )
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? ''))
    throw new ReceiverError('CALLBOARD_URL must be like http://localhost:8787.')
  const port = environment['RECEIVER_PORT'] || '8788'
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535)
    throw new ReceiverError('RECEIVER_PORT must be a port, 0 to 65535.')
  return {
    access: { url: url.replace(/\/+$/, ''), key },
    certificate: await readOrMakeDemoCertificate(dataDir),
    port: Number(port),
  }
}
