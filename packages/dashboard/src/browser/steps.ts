import { announce } from './announce.ts'
import { clockTime } from './times.ts'

/** The server's response if it refuses to take a step. `message` says why, and is shown to the viewer unchanged. */
interface Refusal {
  readonly message: string
}

interface Step {
  readonly resent: number
  readonly waiting: number
  readonly reachedAt: string | undefined
  readonly next: string | undefined
}

/**
 * Resends the deliveries of a time range step by step, without leaving the page. Each post of `form[data-steps]` takes
 * one step and returns `{ resent, waiting, reachedAt, next }`: how many deliveries that step resent, and how many it
 * found that are sent in their turn anyway.
 * If `next` is not null, the form is posted again with `next` in the field that `data-steps` names. If the viewer stops
 * or the connection fails, the next submit continues from there.
 */
export function goThroughSteps(): void {
  document.addEventListener('submit', (event) => {
    const form = event.target
    if (!(form instanceof HTMLFormElement) || form.dataset['steps'] === undefined) return
    event.preventDefault()
    if (form.dataset['running'] === undefined) void run(form, view(form))
  })
}

interface View {
  readonly box: HTMLElement
  readonly progress: HTMLProgressElement
  readonly text: HTMLElement
  readonly stop: HTMLButtonElement
}

async function run(form: HTMLFormElement, { box, progress, text, stop }: View): Promise<void> {
  const stopping = new AbortController()
  stop.onclick = () => stopping.abort()
  form.dataset['running'] = ''
  const buttons = form.querySelectorAll<HTMLButtonElement>('button[type="submit"]')
  for (const button of buttons) button.disabled = true
  box.hidden = stop.hidden = progress.hidden = false
  progress.removeAttribute('value')
  const field = nextField(form)
  let total = Number(box.dataset['total'] ?? 0)
  let waiting = Number(box.dataset['waiting'] ?? 0)
  try {
    for (;;) {
      const step = await post(form, stopping.signal)
      if ('message' in step) {
        // The server may have refused the step because `next` is invalid, so the field is cleared. The next submit
        // starts again at the beginning of the range. Nothing is resent twice.
        field.value = ''
        text.textContent = step.message
        break
      }
      total += step.resent
      waiting += step.waiting
      box.dataset['total'] = String(total)
      box.dataset['waiting'] = String(waiting)
      field.value = step.next ?? ''
      text.textContent = words(total, step)
      if (step.next !== undefined) continue
      delete box.dataset['total']
      delete box.dataset['waiting']
      text.textContent = finished(total, waiting)
      break
    }
  } catch {
    text.textContent = stopping.signal.aborted
      ? `Stopped: ${count(total)} resent. Select Resend to continue from there.`
      : `Interrupted: ${count(total)} resent. Select Resend to continue from there.`
  }
  announce(text.textContent ?? '')
  stop.hidden = progress.hidden = true
  delete form.dataset['running']
  for (const button of buttons) button.disabled = false
}

async function post(form: HTMLFormElement, signal: AbortSignal): Promise<Step | Refusal> {
  const body = new URLSearchParams()
  for (const [name, value] of new FormData(form))
    if (typeof value === 'string' && value !== '') body.append(name, value)
  // The fields hold times in the viewer's zone. The server does not know that zone, so the times are sent in UTC.
  for (const { name, value } of form.querySelectorAll<HTMLInputElement>('input[type="datetime-local"]'))
    if (value !== '') body.set(name, new Date(value).toISOString())
  const response = await fetch(form.action, { method: 'POST', body, headers: { accept: 'application/json' }, signal })
  if (response.redirected) throw new Error('answered by another page')
  const step: unknown = await response.json()
  if (typeof step !== 'object' || step === null) throw new Error('no step')
  if (!response.ok && 'message' in step && typeof step.message === 'string') return { message: step.message }
  if (!response.ok || !('resent' in step)) throw new Error(`answered ${response.status}`)
  return {
    resent: Number(step.resent),
    waiting: 'waiting' in step ? Number(step.waiting) : 0,
    reachedAt: 'reachedAt' in step && typeof step.reachedAt === 'string' ? step.reachedAt : undefined,
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

function view(form: HTMLFormElement): View {
  const box = form.querySelector<HTMLElement>('.steps') ?? document.createElement('div')
  const progress = box.querySelector('progress') ?? document.createElement('progress')
  const text = box.querySelector('p') ?? document.createElement('p')
  const stop = box.querySelector('button') ?? document.createElement('button')
  if (box.isConnected) return { box, progress, text, stop }
  box.className = 'steps'
  progress.setAttribute('aria-label', 'Progress')
  stop.className = 'button'
  stop.type = 'button'
  stop.textContent = 'Stop'
  box.append(progress, text, stop)
  form.append(box)
  return { box, progress, text, stop }
}

function finished(total: number, waiting: number): string {
  if (total + waiting === 0) return 'There was nothing to resend.'
  const sent = `Done: ${count(total)} resent.`
  return waiting === 0 ? sent : `${sent} ${count(waiting)} due or not attempted yet, and sent in their turn.`
}

function words(total: number, { reachedAt }: Step): string {
  return `${count(total)} resent${reachedAt === undefined ? '' : `, up to ${clockTime(new Date(reachedAt))}`} …`
}

function count(value: number): string {
  return value.toLocaleString()
}
