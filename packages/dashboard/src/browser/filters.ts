const KEPT = 'callboard-focus'

/**
 * Submits a filter as soon as it changes, and focuses it again after the reload, so that the arrow keys keep working.
 */
export function submitFilters(): void {
  const before = sessionStorage.getItem(KEPT)
  sessionStorage.removeItem(KEPT)
  if (before !== null) document.getElementById(before)?.focus()

  document.addEventListener('change', ({ target }) => {
    if (!(target instanceof HTMLSelectElement) || target.form?.dataset['filters'] === undefined) return
    sessionStorage.setItem(KEPT, target.id)
    target.form.requestSubmit()
  })
  // Keeps URLs short: empty filters are left out.
  document.addEventListener('formdata', ({ target, formData }) => {
    if (!(target instanceof HTMLFormElement) || target.dataset['filters'] === undefined) return
    for (const [name, value] of [...formData]) if (value === '') formData.delete(name)
  })
}
