const WIDTH = 24

/** Formats progress as one line; `done` ranges from 0 to 1. */
export function formatProgress(done: number, label: string): string {
  const share = Math.min(1, Math.max(0, done))
  const full = Math.round(share * WIDTH)
  return `${'█'.repeat(full)}${'░'.repeat(WIDTH - full)} ${String(Math.floor(share * 100)).padStart(3)} %   ${label}`
}
