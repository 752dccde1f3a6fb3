import type { BrowserContext } from 'playwright-core'

/** Notes what pages say in the console (breaches of their content security policy are said there), errors that nothing caught, and dialogs. */
export function watchContext(context: BrowserContext, complaints: string[]): void {
  context.on('console', (message) => {
    complaints.push(`${message.type()}: ${message.text()} (${message.location().url})`)
  })
  context.on('weberror', (error) => {
    complaints.push(`error: ${String(error.error())}`)
  })
  context.on('dialog', (dialog) => {
    complaints.push(`${dialog.type()}: ${dialog.message()}`)
    void dialog.dismiss()
  })
}
