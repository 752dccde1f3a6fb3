import { Idiomorph } from 'idiomorph'

const EVERY_MS = 5_000

/** Fetches a live page again while somebody looks at it, and changes what is different: focus, selection and open details stay. */
export function refreshLive(onChanged: () => void): void {
  if (document.body.dataset['live'] !== 'on') return
  const refresh = async (): Promise<void> => {
    const main = document.querySelector('main')
    if (document.hidden || main === null) return
    const response = await fetch(location.href, { headers: { accept: 'text/html' } })
    if (!response.ok || response.redirected) return
    const next = new DOMParser().parseFromString(await response.text(), 'text/html').querySelector('main')
    if (next === null) return
    Idiomorph.morph(main, next.innerHTML, { morphStyle: 'innerHTML', ignoreActiveValue: true })
    onChanged()
  }
  const again = (): void => {
    setTimeout(
      () =>
        void refresh()
          .catch(() => undefined)
          .finally(again),
      EVERY_MS,
    )
  }
  again()
}
