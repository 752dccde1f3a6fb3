import type { Locator } from 'playwright-core'

/** A way of using a page. */
export interface Hands {
  readonly name: string
  /** Goes to an element: points at it, or gives it the focus. */
  reach(target: Locator): Promise<void>
  /** Follows a link, presses a button, opens a disclosure or ticks a box. */
  press(target: Locator): Promise<void>
  /** Replaces the text of a field. */
  write(target: Locator, text: string): Promise<void>
  /** Selects an option by its label. */
  pick(target: Locator, option: string): Promise<void>
}

const MOUSE: Hands = {
  name: 'a mouse',
  reach: (target) => target.hover(),
  press: (target) => target.click(),
  write: (target, text) => target.fill(text),
  pick: async (target, option) => void (await target.selectOption({ label: option })),
}

/** The tab key is pressed at most this often. No page has that many elements that the key can reach. */
const MOST_STOPS = 300

const KEYBOARD: Hands = {
  name: 'the keyboard only',
  reach,
  async press(target) {
    await reach(target)
    const isBox = await target.evaluate(
      (element) => element instanceof HTMLInputElement && /^(?:checkbox|radio)$/.test(element.type),
    )
    await target.page().keyboard.press(isBox ? 'Space' : 'Enter')
  },
  async write(target, text) {
    await reach(target)
    await target.page().keyboard.press('ControlOrMeta+A')
    await target.page().keyboard.type(text)
  },
  async pick(target, option) {
    await reach(target)
    // Types the label to select the option, as people do.
    await target.page().keyboard.type(option)
  },
}

export const HANDS: readonly Hands[] = [MOUSE, KEYBOARD]

/** Presses the tab key until the target has the focus, and checks that the focus is visible. */
async function reach(target: Locator): Promise<void> {
  await target.waitFor()
  const page = target.page()
  for (let stops = 0; stops < MOST_STOPS; stops++) {
    if (await target.evaluate((element) => element === document.activeElement)) {
      const isMarked = await target.evaluate((element) => {
        const around = [element, element.parentElement, element.nextElementSibling].filter((each) => each !== null)
        return around.some((each) => {
          const { outlineStyle, boxShadow } = getComputedStyle(each)
          return outlineStyle !== 'none' || boxShadow !== 'none'
        })
      })
      if (!isMarked) throw new Error(`the focus on ${target} is not visible`)
      return
    }
    await page.keyboard.press('Tab')
  }
  throw new Error(`the tab key does not reach ${target}`)
}
