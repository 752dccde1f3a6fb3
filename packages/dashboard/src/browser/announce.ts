let region: HTMLElement | undefined

/** Makes screen readers announce a message when they finish what they are reading. */
export function announce(text: string): void {
  if (region === undefined) {
    region = document.createElement('p')
    region.className = 'unseen'
    region.setAttribute('role', 'status')
    document.body.append(region)
  }
  region.textContent = ''
  // Waits for the next frame, because screen readers announce a change only in a live region that already exists.
  requestAnimationFrame(() => region?.append(text))
}
