import { join } from 'node:path';
import { mostInside, outOfOrder, overlaps, readGrants, type Company, type Grant } from './grant-log.js';
import type { Actor } from './peer.js';

const DEFAULT_SECONDS = process.env.ZK_SERVER === 'embedded' ? 3 : 10;
/** How long each contention lasts: `INTEROP_SECONDS=60 npm test -- test/interop`. */
export const SECONDS = Number(process.env.INTEROP_SECONDS ?? DEFAULT_SECONDS);
/** How long a lock is kept, at most: short, so that it changes hands often. */
const SECTION_MS = 3;
/** For a test of one contention, its start and end included. */
export const CONTENTION_MS = SECONDS * 1_000 + 180_000;

/** What is fought for. */
export interface Fight {
  /** As in peer.ts, like the path. */
  readonly kind: string;
  readonly path: string;
  readonly company: Company;
  /** How long it is kept, at most. Default 3. */
  readonly sectionMs?: number;
}

export interface Contention {
  readonly grants: readonly Grant[];
  /** Empty, unless two were in together or somebody came in before its turn. */
  readonly violations: readonly string[];
  /** How many were in at the same time, at most. */
  readonly together: number;
  /** How often each language had the lock: `java`, or `java read` where one lock is taken in several ways. */
  readonly shares: ReadonlyMap<string, number>;
}

/** Lets actors of several languages fight for one lock. */
export async function contend(actors: readonly Actor[], lock: Fight, folder: string): Promise<Contention> {
  const log = join(folder, lock.kind.replace(':', '-'));
  await Promise.all(actors.map((actor) => actor.connect()));
  const rounds = await Promise.all(
    actors.map((actor) => actor.contend(lock.kind, lock.path, log, SECONDS, lock.sectionMs ?? SECTION_MS)),
  );
  const grants = await readGrants(log);
  const total = rounds.reduce((sum, count) => sum + count, 0);
  if (grants.length !== total) throw new Error(`${grants.length} grants in ${log}, ${total} were told`);
  const ways = new Set(grants.map(({ kind }) => kind)).size;
  const shares = new Map<string, number>();
  for (const { language, kind } of grants) {
    const share = ways > 1 ? `${language} ${kind}` : language;
    shares.set(share, (shares.get(share) ?? 0) + 1);
  }
  const violations = [...overlaps(grants, lock.company), ...outOfOrder(grants, lock.company)];
  return { grants, violations, together: mostInside(grants), shares };
}

/** Who got how much of each lock, as a table for people. */
export class GrantTable {
  private readonly rows: string[][] = [];

  add(lock: string, { grants, violations, together, shares }: Contention): void {
    const counts = [...shares].sort().map(([share, count]) => `${share} ${count}`);
    const turns = grants.filter(({ language }, at) => grants[at - 1]?.language !== language).length;
    this.rows.push([
      lock,
      `${grants.length}`,
      counts.join(', '),
      `${turns}`,
      `${together}`,
      `${violations.length}`,
    ]);
  }

  toString(): string {
    const head = [
      `${SECONDS} s each`,
      'grants',
      'by language',
      'changes of language',
      'most at once',
      'violations',
    ];
    const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
    return [line(head), line(head.map(() => '---')), ...this.rows.map(line)].join('\n');
  }
}
