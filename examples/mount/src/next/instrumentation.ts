/** Next calls this once, when its server starts: `NEXT_MANUAL_SIG_HANDLE=true next start`. */
export async function register(): Promise<void> {
  // Written so, Next leaves what is within out of what it builds for its edge runtime.
  if (process.env.NEXT_RUNTIME === 'nodejs') {
    const { startWorker } = await import('@callboard/delivery')
    const { callboard, pool } = await import('../callboard.ts')
    const worker = await startWorker(callboard)
    // Without NEXT_MANUAL_SIG_HANDLE Next would end the process while the worker still has something in flight.
    process.once('SIGTERM', async () => {
      await worker.stop()
      await pool.end()
      process.exit(0)
    })
  }
}
