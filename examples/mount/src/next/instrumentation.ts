/** Next calls this once, when its server starts. */
export async function register(): Promise<void> {
  if (process.env['NEXT_RUNTIME'] !== 'nodejs') return
  const { startWorker } = await import('@callboard/delivery')
  const { callboard } = await import('../callboard.ts')
  const worker = await startWorker(callboard)
  process.once('SIGTERM', () => void worker.stop())
}
