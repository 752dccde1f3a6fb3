let region: HTMLElement | undefined

/** Has a screen reader say something, when it is done with what it says. */
export function announce(text: string): void {
  if (region === undefined) {
    region = document.createElement('p')
    region.className = 'unseen'
    region.setAttribute('role', 'status')
    document.body.append(region)
  }
  region.textContent = ''
  // A region that is there before its text changes is read out.
  requestAnimationFrame(() => region?.append(text))
}
