const KEPT = 'callboard-focus'

/**
 * Submits the filter form as soon as the viewer changes a select. On the new page, the select gets the focus back, so
 * that the arrow keys still work on it.
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
  // Leaves out empty filters, and a zone without a time, to keep URLs short.
  document.addEventListener('formdata', ({ target, formData }) => {
    if (!(target instanceof HTMLFormElement) || target.dataset['filters'] === undefined) return
    for (const [name, value] of [...formData]) if (value === '') formData.delete(name)
    if (!formData.has('from') && !formData.has('to')) formData.delete('zone')
  })
}
