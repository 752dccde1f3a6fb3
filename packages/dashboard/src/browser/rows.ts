/** A click on a row opens what its main link opens; text can be selected all the same. */
export function openRows(): void {
  document.addEventListener('click', (event) => {
    const { target } = event
    if (!(target instanceof Element) || target.closest('a, button, input, select, label, summary, form') !== null)
      return
    const link = target.closest('.data-table tr')?.querySelector<HTMLAnchorElement>('.column-main a')
    if (!link || getSelection()?.isCollapsed === false) return
    if (event.ctrlKey || event.metaKey) open(link.href, '_blank', 'noopener')
    else link.click()
  })
}
