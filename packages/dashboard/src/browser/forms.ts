/**
 * Submits a form only once, even if its button is clicked again. If the viewer leaves the page and comes back, its
 * forms can be submitted again.
 */
export function sendOnce(): void {
  const sent = new Set<HTMLFormElement>()
  document.addEventListener('submit', (event) => {
    const form = event.target
    if (!(form instanceof HTMLFormElement) || form.method !== 'post' || form.dataset['steps'] !== undefined) return
    if (sent.has(form)) return event.preventDefault()
    sent.add(form)
    event.submitter?.setAttribute('aria-disabled', 'true')
  })
  addEventListener('pageshow', () => {
    sent.clear()
    for (const button of document.querySelectorAll('button[aria-disabled]')) button.removeAttribute('aria-disabled')
  })
  // The parameter `done` makes the page confirm a write. It is removed, so that a reload does not confirm the write
  // again.
  const url = new URL(location.href)
  if (url.searchParams.has('done')) {
    url.searchParams.delete('done')
    history.replaceState(null, '', url)
  }
}
