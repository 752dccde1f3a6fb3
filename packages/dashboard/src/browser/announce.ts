let region: HTMLElement | undefined

/** Announces a text to screen readers, after whatever they are reading out. */
export function announce(text: string): void {
  if (region === undefined) {
    region = document.createElement('p')
    region.className = 'unseen'
    region.setAttribute('role', 'status')
    document.body.append(region)
  }
  region.textContent = ''
  // Screen readers announce a live region only if it exists before its text changes.
  requestAnimationFrame(() => region?.append(text))
}
