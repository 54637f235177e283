import { hostname } from 'node:os';
import { LockConfigError } from '../errors/lock-config.error.js';

/** What a contender writes into its node, so that others can say who holds the lock. Version 1. */
export interface HolderRecord {
  readonly v: 1;
  readonly host: string;
  readonly pid: number;
  /** Tells two connections of one process apart. */
  readonly instance: string;
  /** When the contender began to want the lock, by its own clock, ISO 8601. */
  readonly since: string;
  /** The node may be kept for a while when nobody holds the lock: it is given up as soon as anybody else wants it. */
  readonly lingers?: true;
  /** Ties the nodes of one entry together, where it has several (a semaphore's door and leases). */
  readonly entry?: string;
  readonly purpose?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

const HOST = hostname(); // a system call each time
export const MAX_METADATA_BYTES = 8_192;

export interface HolderOptions {
  readonly entry?: string;
  readonly purpose?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** In ms since the epoch; default now. */
  readonly since?: number;
  readonly lingers?: boolean;
}

/** Writes what goes into the nodes of one connection. The metadata must have been checked. */
export function holderRecords(instance: string): (options: HolderOptions) => Buffer {
  const first: Pick<HolderRecord, 'v' | 'host' | 'pid' | 'instance'> = {
    v: 1,
    host: HOST,
    pid: process.pid,
    instance,
  };
  const start = JSON.stringify(first).slice(0, -1); // the same in all of them
  return ({ entry, purpose, metadata, lingers, since = Date.now() }) => {
    const rest: Omit<HolderRecord, keyof typeof first> = {
      since: new Date(since).toISOString(),
      ...(lingers === true && { lingers }),
      ...(entry !== undefined && { entry }),
      ...(purpose !== undefined && { purpose }),
      ...(metadata !== undefined && { metadata }),
    };
    return Buffer.from(`${start},${JSON.stringify(rest).slice(1)}`);
  };
}

/** Undefined for the nodes of other libraries, which have other data or none. */
export function readHolderRecord(data: Buffer): HolderRecord | undefined {
  try {
    const record = JSON.parse(data.toString()) as Partial<HolderRecord> | null;
    const known = record?.v === 1 && typeof record.host === 'string' && typeof record.pid === 'number';
    return known ? (record as HolderRecord) : undefined;
  } catch {
    return undefined;
  }
}

/** The same record of a node that is in use and will not linger. */
export function inUse(data: Buffer): Buffer {
  const { lingers: _lingers, ...record } = readHolderRecord(data) ?? {};
  return Buffer.from(JSON.stringify(record));
}

/** The metadata as it is now, whatever becomes of the object.
 * @throws LockConfigError when it is no JSON or too large. */
export function checkMetadata(metadata: HolderOptions['metadata']): HolderOptions['metadata'] {
  if (metadata === undefined) return undefined;
  let json: string;
  try {
    json = JSON.stringify(metadata);
  } catch (error) {
    throw new LockConfigError('Option "metadata" cannot be written as JSON.', { cause: error });
  }
  const bytes = Buffer.byteLength(json);
  if (bytes <= MAX_METADATA_BYTES) return JSON.parse(json) as HolderOptions['metadata'];
  throw new LockConfigError(
    `Option "metadata" has ${bytes} bytes as JSON; allowed are ${MAX_METADATA_BYTES}.`,
  );
}
