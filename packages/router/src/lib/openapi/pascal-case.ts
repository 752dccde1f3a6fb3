/** Turns `order.paid` or `ORDER_PAID` into `OrderPaid`, for names that become type names in generated clients. */
export function pascalCase(name: string): string {
  return name
    .toLowerCase()
    .split(/[._]+/)
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join('')
}
