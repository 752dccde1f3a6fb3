/** Makes a click anywhere on a table row follow the row's main link. Selecting text does not count as a click. */
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
