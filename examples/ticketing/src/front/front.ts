import { refuseOtherHosts } from '../refuse-other-hosts.ts'
import { apiReference } from './api-reference.ts'
import { docsPage } from './docs-page.ts'
import { type HomeOptions, homePage } from './home-page.ts'

/** Answers the pages that introduce the platform: `/`, the API reference and the docs; undefined for other paths. */
export function createFront(options: HomeOptions): (request: Request) => Promise<Response | undefined> {
  return async (request) => {
    const { pathname, origin } = new URL(request.url)
    if (request.method !== 'GET' && request.method !== 'HEAD') return undefined
    const page = (): Promise<Response | undefined> => {
      if (pathname === '/') return homePage(origin, options)
      return pathname.endsWith('.md') ? docsPage(pathname) : apiReference(pathname, options.demoKey.key)
    }
    return refuseOtherHosts(request) ?? (await page())
  }
}
