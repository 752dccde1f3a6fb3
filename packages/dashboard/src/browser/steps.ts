import { announce } from './announce.ts'

/** The server's response if it refuses to take a step. `message` says why, and is shown to the viewer unchanged. */
interface Refusal {
  readonly message: string
}

interface Step {
  /** The progress of resending, in words. */
  readonly soFar: string
  readonly next: string | undefined
}

/**
 * Resends the deliveries of a time range step by step, without leaving the page. Each post of `form[data-steps]` takes
 * one step and returns `{ soFar, next }`. The form is posted again with `next` in the field that `data-steps` names,
 * until `next` is null. If the viewer stops or the connection fails, the next submit continues after the last step.
 */
export function goThroughSteps(): void {
  document.addEventListener('submit', (event) => {
    const form = event.target
    if (!(form instanceof HTMLFormElement) || form.dataset['steps'] === undefined) return
    event.preventDefault()
    if (form.dataset['running'] === undefined) void run(form)
  })
}

async function run(form: HTMLFormElement): Promise<void> {
  const box = form.querySelector<HTMLElement>('.steps')
  const [progress, text, stop] = [box?.querySelector('progress'), box?.querySelector('p'), box?.querySelector('button')]
  if (!box || !progress || !text || !stop) return
  const stopping = new AbortController()
  stop.onclick = () => stopping.abort()
  form.dataset['running'] = ''
  const buttons = form.querySelectorAll<HTMLButtonElement>('button[type="submit"]')
  for (const button of buttons) button.disabled = true
  box.hidden = stop.hidden = progress.hidden = false
  const field = nextField(form)
  const { none = '', stopped = '', interrupted = '' } = box.dataset
  let soFar = field.value === '' ? none : (box.dataset['soFar'] ?? none)
  try {
    for (;;) {
      const step = await post(form, stopping.signal)
      if ('message' in step) {
        // Clears the field, because the server may have refused an invalid `next`. The next submit starts over, which
        // resends nothing twice.
        field.value = ''
        text.textContent = step.message
        break
      }
      field.value = step.next ?? ''
      text.textContent = step.soFar
      if (step.next === undefined) {
        finish(form, box)
        break
      }
      soFar = box.dataset['soFar'] = step.soFar
      text.textContent += ' …'
    }
  } catch {
    text.textContent = (stopping.signal.aborted ? stopped : interrupted).replace('{so far}', soFar)
  }
  announce(text.textContent ?? '')
  stop.hidden = progress.hidden = true
  delete form.dataset['running']
  for (const button of buttons) button.disabled = false
}

/** Shows what a page without a script shows in the end. */
function finish(form: HTMLFormElement, box: HTMLElement): void {
  const title = form.closest('.card')?.querySelector('h2')
  const choices = form.querySelector<HTMLElement>('.form-end')
  const link = box.querySelector('a')
  if (title) title.textContent = box.dataset['done'] ?? ''
  if (choices) choices.hidden = true
  if (link) link.hidden = false
}

async function post(form: HTMLFormElement, signal: AbortSignal): Promise<Step | Refusal> {
  const body = new URLSearchParams()
  for (const [name, value] of new FormData(form))
    if (typeof value === 'string' && value !== '') body.append(name, value)
  const response = await fetch(form.action, { method: 'POST', body, headers: { accept: 'application/json' }, signal })
  if (response.redirected) throw new Error('answered by another page')
  const step: unknown = await response.json()
  if (typeof step !== 'object' || step === null) throw new Error('no step')
  if (!response.ok && 'message' in step && typeof step.message === 'string') return { message: step.message }
  if (!response.ok || !('soFar' in step)) throw new Error(`answered ${response.status}`)
  return {
    soFar: String(step.soFar),
    next: 'next' in step && typeof step.next === 'string' ? step.next : undefined,
  }
}

function nextField(form: HTMLFormElement): HTMLInputElement {
  const name = form.dataset['steps'] || 'next'
  const existing = form.elements.namedItem(name)
  if (existing instanceof HTMLInputElement) return existing
  const field = document.createElement('input')
  field.type = 'hidden'
  field.name = name
  form.append(field)
  return field
}
