import { Idiomorph } from 'idiomorph'
import { announce } from './announce.ts'
import { clockTime, shortAgo } from './times.ts'

const EVERY_MS = 5_000
const AT_MOST_MS = 60_000
const SHOW_MS = 1_000

/**
 * Refreshes a page every few seconds while it is visible. Only what has changed is replaced, so the focus, the
 * selection and the scroll position stay as they are. The page is not refreshed while the viewer fills in a form,
 * selects text, keeps a pointer pressed or has a menu open. Each refresh calls `enhance` on the new content before it
 * is shown.
 */
export function refreshLive(enhance: (within: ParentNode) => void): void {
  const state = document.querySelector<HTMLElement>('[data-live-state]')
  const main = document.querySelector('main')
  if (state === null || main === null) return
  const busy = watch(main)
  let wait = EVERY_MS
  let freshAt = new Date()
  let seen = ''
  let timer: ReturnType<typeof setTimeout> | undefined
  let late = false

  const refresh = async (): Promise<void> => {
    const response = await fetch(location.href, { headers: { accept: 'text/html' }, redirect: 'error' })
    if (!response.ok) throw new Error(`answered ${response.status}`)
    const text = await response.text()
    if (text !== seen) {
      if (busy()) return
      const next = new DOMParser().parseFromString(text, 'text/html').querySelector('main')
      if (next === null) throw new Error('no page')
      enhance(next)
      morph(main, next)
      seen = text
    }
    freshAt = new Date()
  }
  const show = (): void => {
    const { liveState = '', updated = '' } = state.dataset
    const text = late ? liveState.replace('{time}', clockTime(freshAt)) : updated.replace('{time}', shortAgo(freshAt))
    if (state.textContent !== text) state.textContent = text
    state.classList.toggle('live-state-late', late)
  }
  /** Screen readers announce only that the page is out of date, not each refresh. */
  const say = (isLate: boolean): void => {
    const turned = isLate && !late
    late = isLate
    show()
    if (turned) announce(state.textContent ?? '')
  }
  const round = async (): Promise<void> => {
    clearTimeout(timer)
    if (!document.hidden && !busy()) {
      try {
        await refresh()
        wait = EVERY_MS
        say(false)
      } catch {
        wait = Math.min(wait * 2, AT_MOST_MS)
        say(true)
      }
    }
    clearTimeout(timer)
    timer = setTimeout(() => void round(), wait)
  }
  document.addEventListener('visibilitychange', () => void (document.hidden || round()))
  timer = setTimeout(() => void round(), wait)
  show()
  setInterval(show, SHOW_MS)
}

/** Returns a function that tells whether an update would disturb the viewer. */
function watch(main: Element): () => boolean {
  let held = false
  const touched = new Set<Element>()
  document.addEventListener('pointerdown', () => (held = true))
  for (const end of ['pointerup', 'pointercancel']) document.addEventListener(end, () => (held = false))
  main.addEventListener('input', ({ target }) => {
    if (target instanceof Element) touched.add(target.closest('form') ?? target)
  })
  main.addEventListener('reset', ({ target }) => target instanceof Element && touched.delete(target))
  return () => {
    const selection = getSelection()
    return (
      held ||
      [...touched].some((element) => element instanceof HTMLFormElement && element.isConnected) ||
      (selection !== null && !selection.isCollapsed && main.contains(selection.anchorNode)) ||
      main.querySelector('[data-menu][open], form[data-running]') !== null ||
      document.activeElement instanceof HTMLSelectElement
    )
  }
}

function morph(main: Element, next: Element): void {
  Idiomorph.morph(main, next.innerHTML, {
    morphStyle: 'innerHTML',
    ignoreActiveValue: true,
    callbacks: {
      beforeAttributeUpdated: (name, node) =>
        !(name === 'open' && node instanceof HTMLDetailsElement) &&
        !(name === 'checked' && node instanceof HTMLInputElement),
      // Does not reset the tab that the viewer chose, and does not remove the notice that confirms a write.
      beforeNodeMorphed: (old) => !(old instanceof HTMLInputElement && old.type === 'radio'),
      beforeNodeRemoved: (old) => !(old instanceof HTMLElement && old.dataset['done'] !== undefined),
    },
  })
}
