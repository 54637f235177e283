import { JuteReader } from './jute-reader.js';
import { JuteWriter } from './jute-writer.js';
import { MalformedRecordError } from './malformed-record-error.js';

/** Both directions of one type on the wire. */
export interface Codec<T> {
  read(reader: JuteReader): T;
  write(writer: JuteWriter, value: T): void;
}

/** The TypeScript type that a codec reads and writes. */
export type Decoded<C> = C extends Codec<infer T> ? T : never;

export const bool: Codec<boolean> = { read: (r) => r.bool(), write: (w, value) => w.bool(value) };
export const int: Codec<number> = { read: (r) => r.int(), write: (w, value) => w.int(value) };
export const long: Codec<bigint> = { read: (r) => r.long(), write: (w, value) => w.long(value) };
export const buffer: Codec<Buffer | null> = { read: (r) => r.buffer(), write: (w, value) => w.buffer(value) };
export const nullableString: Codec<string | null> = {
  read: (r) => r.string(),
  write: (w, value) => w.string(value),
};

/** A string that must not be null. */
export const string: Codec<string> = {
  read(reader) {
    const value = reader.string();
    if (value === null) throw new MalformedRecordError('null instead of a string');
    return value;
  },
  write: (w, value) => w.string(value),
};

/** A boolean that old peers do not send: it ends its record. */
export const trailingBool: Codec<boolean | undefined> = {
  read: (r) => (r.remaining === 0 ? undefined : r.bool()),
  write(writer, value) {
    if (value !== undefined) writer.bool(value);
  },
};

export function nullableVector<T>(item: Codec<T>): Codec<T[] | null> {
  return {
    read: (r) => r.vector((reader) => item.read(reader)),
    write: (w, items) => w.vector(items, (writer, value) => item.write(writer, value)),
  };
}

/** A vector that must not be null. */
export function vector<T>(item: Codec<T>): Codec<T[]> {
  const nullable = nullableVector(item);
  return {
    read(reader) {
      const items = nullable.read(reader);
      if (items === null) throw new MalformedRecordError('null instead of a vector');
      return items;
    },
    write: (w, items) => nullable.write(w, items),
  };
}

/** The fields one after the other, in the order in which they are given. */
export function record<T extends object>(fields: { [K in keyof T]: Codec<T[K]> }): Codec<T> {
  const entries = Object.entries(fields) as [keyof T, Codec<T[keyof T]>][];
  return {
    read(reader) {
      const value: Partial<T> = {};
      for (const [name, codec] of entries) value[name] = codec.read(reader);
      return value as T;
    },
    write(writer, value) {
      for (const [name, codec] of entries) codec.write(writer, value[name]);
    },
  };
}

/** A record without fields. */
export const empty: Codec<undefined> = { read: () => undefined, write: () => undefined };

export function encode<T>(codec: Codec<T>, value: T): Buffer {
  const writer = new JuteWriter();
  codec.write(writer, value);
  return writer.finish();
}

/** @throws {MalformedRecordError} when the bytes are no such record; bytes behind it are ignored, as ZooKeeper does */
export function decode<T>(codec: Codec<T>, bytes: Buffer): T {
  return codec.read(new JuteReader(bytes));
}
