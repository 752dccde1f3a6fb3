import type { Locator } from 'playwright-core'

/** How somebody uses a page. */
export interface Hands {
  readonly name: string
  /** Follows a link, presses a button, opens what can be opened, ticks a box. */
  press(target: Locator): Promise<void>
  /** Writes into a field, in place of what is in it. */
  write(target: Locator, text: string): Promise<void>
  /** Picks from a list by its words. */
  pick(target: Locator, option: string): Promise<void>
}

const MOUSE: Hands = {
  name: 'clicking',
  press: (target) => target.click(),
  write: (target, text) => target.fill(text),
  pick: async (target, option) => void (await target.selectOption({ label: option })),
}

/** So many stops of the tab key are more than a page has. */
const MOST_STOPS = 300

const KEYBOARD: Hands = {
  name: 'the keyboard alone',
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
    // As people do: the first letters choose.
    await target.page().keyboard.type(option)
  },
}

export const HANDS: readonly Hands[] = [MOUSE, KEYBOARD]

/** Goes on with the tab key until the target has the focus, and can be seen to have it. */
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
      if (!isMarked) throw new Error(`nothing shows that ${target} has the focus`)
      return
    }
    await page.keyboard.press('Tab')
  }
  throw new Error(`the tab key does not lead to ${target}`)
}
