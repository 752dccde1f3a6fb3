/**
 * SQL of a statement, for use in a function: the statement's parameter `:accountId` is the function's parameter
 * `p_account_id`.
 */
export function inFunction(sql: string): string {
  return sql.replace(
    /(?<![:\w]):([a-z]\w*)/gi,
    (_, name: string) => `p_${name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`,
  )
}
