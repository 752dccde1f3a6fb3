/** `order.paid` and `ORDER_PAID` as `OrderPaid`, for names that become names of types in clients. */
export function pascalCase(name: string): string {
  return name
    .toLowerCase()
    .split(/[._]+/)
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join('')
}
