import type { Account } from '@callboard/core'
import type { Statement } from './statement.ts'

export const createAccount: Statement<{ id: string }, { id: string; name: string }> = {
  name: 'create-account',
  text: `insert into callboard.accounts (id, name) values (:id, :name) on conflict do nothing returning id`,
}

export const findAccount: Statement<Account, { id: string }> = {
  name: 'find-account',
  text: `select id, name from callboard.accounts where id = :id and deleted_at is null`,
}

export const listAccounts: Statement<Account, { after: string; limit: number }> = {
  name: 'list-accounts',
  text: `
select id, name from callboard.accounts where id > :after and deleted_at is null order by id limit :limit::int`,
}

export const renameAccount: Statement<{ id: string }, { id: string; name: string }> = {
  name: 'rename-account',
  text: `update callboard.accounts set name = :name where id = :id and deleted_at is null returning id`,
}

/**
 * The first step of deleting an account: from now on its keys are unknown and nothing is published for it. The
 * account's row stays, so that its id is never reused. Runs after `lockCreates` and `lockIssues`: a subscription or key
 * that is being created is then committed and is purged, or its statement finds the account closed.
 */
export const closeAccount: Statement<{ id: string }, { id: string }> = {
  name: 'close-account',
  text: `
update callboard.accounts set deleted_at = coalesce(deleted_at, callboard.clock()), name = ''
where id = :id returning id`,
}
