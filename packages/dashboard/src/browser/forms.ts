/**
 * Submits a form only once, even if its button is clicked again. Going back to the page makes its forms usable again.
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
  // Removes `done` from the URL, so that a reload does not repeat the notice.
  const url = new URL(location.href)
  if (url.searchParams.has('done')) {
    url.searchParams.delete('done')
    history.replaceState(null, '', url)
  }
}
