import { styleText } from 'node:util'
import { type Callboard, describeError, type LogEntry } from '@callboard/core'
import { engineOf, type GuardedHooks, withHooks } from '@callboard/core/engine'
import type { TextStream } from '../output.ts'
import { formatCell } from '../table.ts'

export interface WorkerLogOptions {
  readonly stream: TextStream
  /** Whether each line is a JSON document. */
  readonly json: boolean
  readonly now?: (() => Date) | undefined
}

const COLOURS = { debug: 'gray', info: 'green', warn: 'yellow', error: 'red' } as const

/** Writes each entry as one line: `{ time, level, message, …fields }`, or the same as text for people. */
export function createWorkerLog({ stream, json, now = () => new Date() }: WorkerLogOptions): (entry: LogEntry) => void {
  return ({ level, message, fields = {} }) => {
    const time = now().toISOString()
    if (json) {
      stream.write(`${JSON.stringify({ time, level, message, ...fields })}\n`)
      return
    }
    const shown = Object.entries(fields).map(([name, value]) => `${name}=${formatCell(value)}`)
    const mark = styleText(COLOURS[level], level.padEnd(5), { stream })
    stream.write([time, mark, formatCell(message), ...shown].join(' ').concat('\n'))
  }
}

/** Returns the same Callboard with hooks that also write to the log. */
export function logged(callboard: Callboard, log: (entry: LogEntry) => void): Callboard {
  const { hooks } = engineOf(callboard)
  const loggingHooks: GuardedHooks = {
    ...hooks,
    onError(error, context) {
      log({ level: 'error', message: describeError(error), fields: fieldsOf(context) })
      // The log already has the line that the default `onError` would print.
      if (hooks.hasOnError) hooks.onError(error, context)
    },
    onSubscriptionDisabled(subscription) {
      const { id, accountId, mode, reason } = subscription
      log({
        level: 'warn',
        message: 'a subscription was disabled',
        fields: { subscription: id, account: accountId, mode, reason },
      })
      hooks.onSubscriptionDisabled(subscription)
    },
    onSubscriptionFailing(subscription) {
      const { id, accountId, mode, since, attempts } = subscription
      log({
        level: 'warn',
        message: 'a subscription keeps failing',
        fields: { subscription: id, account: accountId, mode, since: since.toISOString(), attempts },
      })
      hooks.onSubscriptionFailing(subscription)
    },
    onSubscriptionRecovered(subscription) {
      const { id, accountId, mode } = subscription
      log({
        level: 'info',
        message: 'a subscription has recovered',
        fields: { subscription: id, account: accountId, mode },
      })
      hooks.onSubscriptionRecovered(subscription)
    },
    onDeliveryExhausted(delivery) {
      const { accountId, mode, subscriptionId, eventId, attempts, status, reason } = delivery
      const outcome = status ?? reason ?? 'no response'
      const fields = { event: eventId, subscription: subscriptionId, account: accountId, mode, attempts, outcome }
      log({ level: 'warn', message: 'the last attempt of a delivery failed', fields })
      hooks.onDeliveryExhausted(delivery)
    },
    log(entry) {
      log(entry)
      hooks.log(entry)
    },
  }
  return withHooks(callboard, loggingHooks)
}

function fieldsOf(context: { readonly requestId?: string | undefined } = {}): LogEntry['fields'] {
  return context.requestId === undefined ? undefined : { request: context.requestId }
}
