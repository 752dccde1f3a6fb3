import { announce } from './announce.ts'

const FEEDBACK_MS = 1_600

/**
 * Copies the `data-copy` value of a clicked button. The button and screen readers then say whether the value was
 * copied.
 */
export function copyOnClick(): void {
  document.addEventListener('click', ({ target }) => {
    const button = target instanceof Element ? target.closest<HTMLElement>('[data-copy]') : null
    if (button === null) return
    void write(button.dataset['copy'] ?? '').then(
      () => say(button, document.body.dataset['copied'] ?? ''),
      () => say(button, document.body.dataset['copyFailed'] ?? ''),
    )
  })
}

async function write(text: string): Promise<void> {
  // Only HTTPS pages have `navigator.clipboard`. The fallback below is for platforms that use HTTP in development.
  if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(text)
  const area = document.createElement('textarea')
  area.value = text
  document.body.append(area)
  area.select()
  const done = document.execCommand('copy')
  area.remove()
  if (!done) throw new Error('not copied')
}

function say(button: HTMLElement, text: string): void {
  announce(text)
  const { label = button.textContent } = button.dataset
  button.dataset['label'] = label
  button.textContent = text
  button.dataset['copied'] = ''
  setTimeout(() => {
    button.textContent = label
    delete button.dataset['copied']
  }, FEEDBACK_MS)
}
