import { announce } from './announce.ts'

const FEEDBACK_MS = 1_600

/** Copies what a `data-copy` button holds, and says so to eyes and ears. */
export function copyOnClick(): void {
  document.addEventListener('click', ({ target }) => {
    const button = target instanceof Element ? target.closest<HTMLElement>('[data-copy]') : null
    if (button === null) return
    void write(button.dataset['copy'] ?? '').then(
      () => say(button, 'Copied'),
      () => say(button, 'Not copied'),
    )
  })
}

async function write(text: string): Promise<void> {
  // Clipboards are for pages over HTTPS; a platform in development may have none.
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
  button.textContent = text
  button.dataset['copied'] = ''
  setTimeout(() => {
    button.textContent = 'Copy'
    delete button.dataset['copied']
  }, FEEDBACK_MS)
}
