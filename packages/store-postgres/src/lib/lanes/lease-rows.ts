import { rowsOf } from '../sql/rows-of.ts'

/** A lease that a worker holds, or believes it holds. `subscription_id` is a UUID. */
export interface LeaseInput {
  readonly account_id: string
  readonly mode: string
  readonly subscription_id: string
  readonly epoch: number
}

/** SQL for the rows of the parameter `leases`. */
export const LEASES: string = rowsOf<LeaseInput>('leases', {
  account_id: 'text',
  mode: 'text',
  subscription_id: 'uuid',
  epoch: 'bigint',
})
