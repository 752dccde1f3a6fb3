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
  // The text is added in the next frame, because screen readers announce a text only if its region existed before it.
  requestAnimationFrame(() => region?.append(text))
}
