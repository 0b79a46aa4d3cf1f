import { appendFileSync, existsSync, readFileSync } from 'node:fs';

/** One line of the order system's journal. */
export type JournalEntry =
  | { readonly kind: 'asked'; readonly what: string; readonly key: string; readonly pid: number }
  | {
      readonly kind: 'booked';
      readonly what: string;
      readonly key: string;
      readonly booking: string;
      readonly order: string;
      readonly amount?: number;
    };

interface Order {
  readonly order: string;
  readonly item: string;
  readonly price: number;
  readonly status: string;
}

/**
 * The shop's order system: another system, with a journal of its own. Like any good payment provider it keeps the keys
 * it has seen, and answers a repeated request with the booking that it made the first time.
 */
export interface OrderSystem {
  lookUp(order: string, key: string): Order | undefined;
  bookReplacement(order: string, key: string): { readonly booking: string };
  bookRefund(order: string, amount: number, key: string): { readonly booking: string };
  journal(): readonly JournalEntry[];
}

const orders: Readonly<Record<string, Omit<Order, 'order'>>> = {
  '1042': { item: 'a blue teapot', price: 45, status: 'delivered on Monday' },
  '1043': { item: 'six cups', price: 30, status: 'on its way' },
  '1044': { item: 'an espresso machine', price: 480, status: 'delivered on Friday' },
};

export function openOrderSystem(file: string): OrderSystem {
  const journal = (): JournalEntry[] =>
    existsSync(file)
      ? readFileSync(file, 'utf8')
          .split('\n')
          .filter((line) => line !== '')
          .map((line): JournalEntry => JSON.parse(line))
      : [];
  const note = (entry: JournalEntry) => appendFileSync(file, `${JSON.stringify(entry)}\n`);
  function book(what: string, key: string, details: { readonly order: string; readonly amount?: number }) {
    const bookings = journal().filter((entry) => entry.kind === 'booked');
    note({ kind: 'asked', what, key, pid: process.pid });
    const before = bookings.find((entry) => entry.key === key);
    if (before) return { booking: before.booking };
    const booking = `R-${bookings.length + 1}`;
    note({ kind: 'booked', what, key, booking, ...details });
    return { booking };
  }
  return {
    journal,
    lookUp(order, key) {
      note({ kind: 'asked', what: 'look_up_order', key, pid: process.pid });
      const found = Object.hasOwn(orders, order) ? orders[order] : undefined;
      return found && { order, ...found };
    },
    bookReplacement: (order, key) => book('book_replacement', key, { order }),
    bookRefund: (order, amount, key) => book('book_refund', key, { order, amount }),
  };
}
