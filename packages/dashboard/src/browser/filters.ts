const KEPT = 'callboard-focus'

/**
 * Submits the filter form as soon as a select changes. After the reload, the select has the focus again, so the arrow
 * keys keep working.
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
  // Leaves out empty filters to keep URLs short.
  document.addEventListener('formdata', ({ target, formData }) => {
    if (!(target instanceof HTMLFormElement) || target.dataset['filters'] === undefined) return
    for (const [name, value] of [...formData]) if (value === '') formData.delete(name)
  })
}
