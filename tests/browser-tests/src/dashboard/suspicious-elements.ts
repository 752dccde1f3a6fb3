import type { Page } from 'playwright-core'

/**
 * Finds scripts, images, handlers, styles and script URLs that are not the dashboard's own. Hostile text might create
 * them.
 */
export async function suspiciousElements(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const own = (element: Element) => element.getAttribute('src')?.startsWith('/dashboard/assets/') === true
    const found = [...document.querySelectorAll('*')].filter(
      (element) =>
        (element instanceof HTMLScriptElement && !own(element)) ||
        element instanceof HTMLImageElement ||
        element.attributes.length > 30 ||
        [...element.attributes].some(
          ({ name, value }) =>
            /^(?:on|style$)/i.test(name) ||
            (/^(?:href|action|src|formaction)$/.test(name) && /^\s*javascript:/i.test(value)),
        ),
    )
    return found.map(({ outerHTML }) => outerHTML.slice(0, 200))
  })
}
