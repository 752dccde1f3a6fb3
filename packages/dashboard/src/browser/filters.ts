const KEPT = 'callboard-focus'

/** Submits a filter as soon as another choice is made, and comes back to it, so that the arrow keys go on from there. */
export function submitFilters(): void {
  const before = sessionStorage.getItem(KEPT)
  sessionStorage.removeItem(KEPT)
  if (before !== null) document.getElementById(before)?.focus()

  document.addEventListener('change', ({ target }) => {
    if (!(target instanceof HTMLSelectElement) || target.form?.dataset['filters'] === undefined) return
    sessionStorage.setItem(KEPT, target.id)
    target.form.requestSubmit()
  })
  // Addresses stay short: what is not chosen is not in them.
  document.addEventListener('formdata', ({ target, formData }) => {
    if (!(target instanceof HTMLFormElement) || target.dataset['filters'] === undefined) return
    for (const [name, value] of [...formData]) if (value === '') formData.delete(name)
  })
}
