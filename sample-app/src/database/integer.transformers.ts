import type { ValueTransformer } from 'typeorm';

type Stored = bigint | string | number | null | undefined;

/** A 64-bit integer column: PostgreSQL's driver gives text, SQLite's (with safe integers) a bigint; we hand on a bigint. */
export const asBigInt: ValueTransformer = {
  to: (value: bigint | null | undefined) => value,
  from: (value: Stored) => {
    if (value === null || value === undefined) return null;
    if (typeof value === 'number') throw new TypeError(`A 64-bit column was read as the number ${value}`);
    return BigInt(value);
  },
};

/** A 32-bit integer column, which SQLite gives as a bigint because of the tokens. */
export const asNumber: ValueTransformer = {
  to: (value: number | null | undefined) => value,
  from: (value: Stored) => (value === null || value === undefined ? null : Number(value)),
};
