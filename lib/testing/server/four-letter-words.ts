import type { Connection } from './connection.js';
import { conf, cons, dump, mntr, srvr, stat, wchs, type Report, type ReportParts } from './reports.js';

/** All of them answer: ZooKeeper itself answers only `srvr` unless its configuration allows more. */
const WORDS = new Map<string, Report>(
  Object.entries({ ruok: () => 'imok', isro: () => 'rw', conf, cons, dump, mntr, srvr, stat, wchs }),
);

/** A word where the length of the first frame should be, such as `ruok`. */
export class FourLetterWords {
  constructor(private readonly parts: ReportParts) {}

  /** Answers a word, and nothing else. Whatever it was, the connection is closed then. */
  answer(connection: Connection, code: number): void {
    const letters = Buffer.alloc(4);
    letters.writeInt32BE(code);
    const report = connection.sessionId === 0n ? WORDS.get(letters.toString('latin1')) : undefined;
    if (report === undefined) return;
    connection.stats.countReceived();
    connection.send(Buffer.from(report(this.parts, connection)));
  }
}
