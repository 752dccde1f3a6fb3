/** Next calls this once, when its server starts. Start it with `NEXT_MANUAL_SIG_HANDLE=true next start`. */
export async function register(): Promise<void> {
  // Next recognises exactly this condition, and omits the block from its build for the edge runtime.
  if (process.env.NEXT_RUNTIME === 'nodejs') {
    const { startWorker } = await import('@callboard/delivery')
    const { callboard, pool } = await import('../callboard.ts')
    const worker = await startWorker(callboard)
    // Without NEXT_MANUAL_SIG_HANDLE, Next would exit while the worker still has deliveries in flight.
    process.once('SIGTERM', async () => {
      await worker.stop()
      await pool.end()
      process.exit(0)
    })
  }
}
