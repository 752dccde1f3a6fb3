/** The event of a sold order. */
export const orderPaid = (id: string, email: string) =>
  ({
    accountId: 'acc_1',
    type: 'order.paid',
    subject: { type: 'order', id },
    data: { order: { id, buyer: { entity_id: 'per_1', email } } },
  }) as const
