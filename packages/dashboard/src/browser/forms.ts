/** A second click on a button does nothing while the first is on its way; a page from the back button begins anew. */
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
  // What was done is said once, not at each reload.
  const url = new URL(location.href)
  if (url.searchParams.has('done')) {
    url.searchParams.delete('done')
    history.replaceState(null, '', url)
  }
}
