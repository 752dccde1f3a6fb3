import type { Scope } from '@callboard/core'

export const ACCOUNT = { id: 'acc_1', name: 'Harbour Hall' } as const

export const SCOPES: readonly Scope[] = ['webhooks.read', 'webhooks.write']
