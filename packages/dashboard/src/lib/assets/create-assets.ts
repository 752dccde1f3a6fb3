import { requestLine } from '@callboard/handler'
import { script, style } from './bundle.generated.ts'

/**
 * The paths of the script and the styles, relative to the base path. `script` and `style` contain a hash of the
 * content, so browsers can cache both files for a year.
 */
export const ASSETS: Readonly<Record<'script' | 'style' | 'theme', string>> = {
  script: `/assets/${script.name}`,
  style: `/assets/${style.name}`,
  theme: '/assets/theme.css',
}

const YEAR = 'public, max-age=31536000, immutable'

/** Serves the script and the styles. They are the same for every viewer, so `authorize` is not called for them. */
export function createAssets(basePath: string, theme: string): (request: Request) => Response | undefined {
  const files = new Map([
    [basePath + ASSETS.script, { text: script.text, type: 'text/javascript; charset=utf-8', cache: YEAR }],
    [basePath + ASSETS.style, { text: style.text, type: 'text/css; charset=utf-8', cache: YEAR }],
    [basePath + ASSETS.theme, { text: theme, type: 'text/css; charset=utf-8', cache: 'public, max-age=60' }],
  ])
  return (request) => {
    const { method, url } = requestLine(request)
    const file = method === 'GET' ? files.get(new URL(url).pathname) : undefined
    if (file === undefined) return undefined
    const headers = { 'content-type': file.type, 'cache-control': file.cache }
    return new Response(request.method === 'HEAD' ? null : file.text, { headers })
  }
}
