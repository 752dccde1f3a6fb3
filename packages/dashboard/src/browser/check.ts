const PAUSE_MS = 500

interface Verdict {
  readonly ok: boolean
  readonly message: string
}

/**
 * When the viewer pauses typing in an `input[data-check]`, sends its value to the server to be checked, and shows the
 * result below the input.
 */
export function checkWhileTyping(): void {
  let waiting: ReturnType<typeof setTimeout> | undefined
  let asking = new AbortController()
  document.addEventListener('input', ({ target: input }) => {
    if (!(input instanceof HTMLInputElement) || input.dataset['check'] === undefined) return
    clearTimeout(waiting)
    asking.abort()
    asking = new AbortController()
    const { signal } = asking
    show(input, undefined)
    // Does not check `htt`, for example, because the viewer is still typing `https://`.
    if ('https://'.startsWith(input.value)) return
    waiting = setTimeout(() => {
      void ask(input, signal).then(
        (verdict) => show(input, verdict),
        () => undefined,
      )
    }, PAUSE_MS)
  })
}

async function ask(input: HTMLInputElement, signal: AbortSignal): Promise<Verdict | undefined> {
  const body = new URLSearchParams({ [input.name]: input.value })
  const headers = { accept: 'application/json' }
  const response = await fetch(input.dataset['check'] ?? '', { method: 'POST', body, headers, signal })
  const verdict: unknown = response.ok ? await response.json() : undefined
  if (typeof verdict !== 'object' || verdict === null || !('ok' in verdict)) return undefined
  return { ok: verdict.ok === true, message: 'message' in verdict ? String(verdict.message) : '' }
}

function show(input: HTMLInputElement, verdict: Verdict | undefined): void {
  const line = document.getElementById(`${input.id}-error`)
  if (line === null) return
  line.classList.toggle('field-good', verdict?.ok === true)
  line.textContent = verdict?.message ?? ''
  if (verdict?.ok === false) input.setAttribute('aria-invalid', 'true')
  else input.removeAttribute('aria-invalid')
}
