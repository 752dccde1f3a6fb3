/** Closes an open `details[data-menu]` on Escape and on a click outside it. */
export function closeMenus(): void {
  const open = (): NodeListOf<HTMLDetailsElement> => document.querySelectorAll<HTMLDetailsElement>('[data-menu][open]')
  document.addEventListener('keydown', ({ key }) => {
    if (key !== 'Escape') return
    for (const menu of open()) {
      menu.open = false
      menu.querySelector('summary')?.focus()
    }
  })
  document.addEventListener('click', ({ target }) => {
    for (const menu of open()) if (target instanceof Node && !menu.contains(target)) menu.open = false
  })
}
