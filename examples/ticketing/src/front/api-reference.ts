import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { pageResponse } from './page.ts'

// Swagger UI renders OpenAPI 3.1 and sends requests, and its package is plain files without dependencies.
const FILES: Readonly<Record<string, { readonly type: string; readonly url: string }>> = {
  '/reference/swagger-ui.css': {
    type: 'text/css; charset=utf-8',
    url: import.meta.resolve('swagger-ui-dist/swagger-ui.css'),
  },
  '/reference/swagger-ui-bundle.js': {
    type: 'text/javascript; charset=utf-8',
    url: import.meta.resolve('swagger-ui-dist/swagger-ui-bundle.js'),
  },
}

/** Answers `/reference`: the OpenAPI document as a page on which each call can be tried with the demo key. */
export async function apiReference(pathname: string, key: string): Promise<Response | undefined> {
  if (pathname === '/reference') return referencePage(key)
  const file = FILES[pathname]
  if (file === undefined) return undefined
  const text = await readFile(fileURLToPath(file.url), 'utf8')
  return new Response(text, { headers: { 'content-type': file.type, 'cache-control': 'max-age=3600' } })
}

function referencePage(key: string): Response {
  const script = `const ui = SwaggerUIBundle({
  url: '/openapi.json', dom_id: '#reference', tryItOutEnabled: true, persistAuthorization: false,
  onComplete() {
    const schemes = ui.specSelectors.specJson().getIn(['components', 'securitySchemes'])
    for (const name of schemes.keys()) ui.preauthorizeApiKey(name, ${JSON.stringify(key)})
  },
})`
  return pageResponse({
    title: 'API reference · Callboard',
    // Swagger UI's colours need a light page.
    head: '<link rel="stylesheet" href="/reference/swagger-ui.css"><style>:root { color-scheme: light }</style>',
    body: `<p><a href="/">Back</a></p><div id="reference"></div>
<script src="/reference/swagger-ui-bundle.js"></script><script>${script}</script>`,
  })
}
