export interface Shape {
  readonly name: string
  readonly data: Order
  /** The paths of personal data, as Callboard names them. */
  readonly paths: readonly string[]
  /** The same paths for fast-redact, which needs a `[*]` after each array. */
  readonly starred: readonly string[]
  /** Removes the personal data from a copy, as hand-written code would. */
  remove(copy: Order): void
}

interface Person {
  id: string
  name?: string
  email?: string
}

interface Order {
  order: { id: string; buyer: Person; note: string; lines: { name: string; price: number; attendee: Person }[] }
}

const person = (id: string): Person => ({ id, name: 'Ada Lovelace', email: 'ada.lovelace@example.com' })

/**
 * An order with a note of `noteLength` characters, and `lines` lines. There is personal data before and after the note,
 * and in every line.
 */
function order(noteLength: number, lines: number): Order {
  return {
    order: {
      id: 'ord_01j9z3v5k7m2n4p6q8r0s1t3u5',
      buyer: person('per_1'),
      note: 'Doors open at seven; the seats are kept until eight. '.repeat(200).slice(0, noteLength),
      lines: Array.from({ length: lines }, (_, n) => ({
        name: `Seat in row ${n}, stalls`,
        price: 4_300,
        attendee: person(`per_${n}`),
      })),
    },
  }
}

function removeOf(person: Person): void {
  delete person.name
  delete person.email
}

const buyer = {
  paths: ['order.buyer.name', 'order.buyer.email'],
  starred: ['order.buyer.name', 'order.buyer.email'],
  remove: (copy: Order) => removeOf(copy.order.buyer),
}
const everybody = {
  paths: [...buyer.paths, 'order.lines.attendee.name', 'order.lines.attendee.email'],
  starred: [...buyer.starred, 'order.lines[*].attendee.name', 'order.lines[*].attendee.email'],
  remove(copy: Order) {
    buyer.remove(copy)
    for (const { attendee } of copy.order.lines) removeOf(attendee)
  },
}

export const shapes: readonly Shape[] = [
  { name: 'two paths, 1 KB', data: order(250, 5), ...buyer },
  { name: 'two paths, 20 KB', data: order(10_000, 75), ...buyer },
  { name: 'every array element, 1 KB', data: order(250, 5), ...everybody },
  { name: 'every array element, 20 KB', data: order(10_000, 75), ...everybody },
]
