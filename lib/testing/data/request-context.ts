import type { JuteReader } from '../wire/jute-reader.js';
import type { DataTree, Moment } from './data-tree.js';
import type { Peer } from './peer.js';
import type { PendingChanges } from './pending-changes.js';

export interface ReadContext {
  readonly tree: DataTree;
  readonly peer: Peer;
}

export interface WriteContext extends ReadContext {
  readonly changes: PendingChanges;
  readonly ttlNodes: boolean;
}

/** Reads and answers one request that takes no zxid. */
export type Read = (context: ReadContext, body: JuteReader) => Buffer | undefined;

/**
 * Reads, checks and does one request that takes a zxid, and hands back what is answered.
 * @param begin takes the zxid, to be called once; what fails before it takes none
 */
export type Write = (context: WriteContext, body: JuteReader, begin: () => Moment) => Buffer | undefined;

/** What is answered, in a reply header and behind it. */
export interface Answer {
  zxid: bigint;
  /** See ErrorCode. */
  err: number;
  body?: Buffer | undefined;
  /** The connection is closed behind the answer, as ZooKeeper does. */
  close?: boolean;
}
