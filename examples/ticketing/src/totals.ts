import type { Money } from './catalogue/fields.ts'

const FEE = 0.05
/** The tax rate. Prices include the tax. */
const TAX = 0.07

/** The four totals of an order, in minor units. All lines of the order have one currency. */
export function totalsOf(lines: readonly { readonly quantity: number; readonly unit_price: Money }[]): {
  gross: Money
  fees: Money
  net: Money
  tax: Money
} {
  const currency = lines[0]?.unit_price.currency ?? 'EUR'
  const money = (amount: number): Money => ({ amount: Math.round(amount), currency })
  const gross = lines.reduce((sum, { quantity, unit_price }) => sum + quantity * unit_price.amount, 0)
  const fees = Math.round(gross * FEE)
  return { gross: money(gross), fees: money(fees), net: money(gross - fees), tax: money(gross - gross / (1 + TAX)) }
}
