import type { BrowserContext } from 'playwright-core'

/** Collects console messages (which include violations of the content security policy), uncaught errors and dialogs. */
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
