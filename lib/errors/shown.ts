import { inspect } from 'node:util';

/** How a value is shown in an error: its type can be told (`'3'` is not `3`), and its length is bounded. */
export function shown(value: unknown): string {
  const text = inspect(value, { depth: 0, breakLength: Infinity, maxStringLength: 80 });
  return text.length > 120 ? `${text.slice(0, 120)}…` : text;
}
