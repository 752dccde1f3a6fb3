const WIDTH = 24

/** One line that tells how far something has come, `done` from 0 to 1. */
export function formatProgress(done: number, label: string): string {
  const share = Math.min(1, Math.max(0, done))
  const full = Math.round(share * WIDTH)
  return `${'█'.repeat(full)}${'░'.repeat(WIDTH - full)} ${String(Math.floor(share * 100)).padStart(3)} %   ${label}`
}
