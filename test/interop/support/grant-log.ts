import { readFile } from 'node:fs/promises';

/**
 * A lock that was held, as its holder wrote it down: a line `+` once it was in, a line `-` before it went out. Each line is
 * one write to a file that is open for appending, so that the lines of all processes stand in the order of their writing,
 * outside of any lock library: two who were in at the same time are seen.
 */
export interface Grant {
  readonly language: string;
  /** Tells actors of all processes apart. */
  readonly actor: string;
  readonly kind: string;
  /** Sequence number of the holder's node. */
  readonly sequence: number;
  /** Number of its `+` line. */
  readonly from: number;
  /** Number of its `-` line. */
  readonly to: number;
}

/** @throws {Error} for a log in which somebody goes in twice, or in and never out. */
export async function readGrants(log: string): Promise<Grant[]> {
  const inside = new Map<string, Omit<Grant, 'to'>>();
  const grants: Grant[] = [];
  const lines = (await readFile(log, 'utf8')).trim().split('\n');
  for (const [at, line] of lines.entries()) {
    const [sign, language = '', actor = '', kind = '', sequence] = line.split(' ');
    const open = inside.get(actor);
    if ((sign === '+') === (open !== undefined)) throw new Error(`${log}:${at + 1}: out of place: ${line}`);
    if (open === undefined)
      inside.set(actor, { language, actor, kind, sequence: Number(sequence), from: at });
    else grants.push({ ...open, to: at });
    if (open !== undefined) inside.delete(actor);
  }
  if (inside.size > 0) throw new Error(`${log}: still inside: ${[...inside.keys()].join(', ')}`);
  return grants.sort((a, b) => a.from - b.from);
}

/** Those who were in when somebody came in, who comes last: may they be in together? */
export type Company = (inside: readonly Grant[]) => boolean;

export const alone: Company = (inside) => inside.length === 1;
export const oneWriterOrReaders: Company = (inside) =>
  inside.length === 1 || inside.every(({ kind }) => kind === 'read');
export const atMost =
  (permits: number): Company =>
  (inside) =>
    inside.length <= permits;

/** Every entry that made a company which may not be. */
export function overlaps(grants: readonly Grant[], company: Company): string[] {
  return companies(grants)
    .filter((inside) => !company(inside))
    .map((inside) => `inside together: ${inside.map(text).join(', ')}`);
}

/**
 * Every entry before its turn: whoever enqueued earlier has either gone, or is still in, or is granted and about to come in;
 * so with those the newcomer must be allowed to be in.
 */
export function outOfOrder(grants: readonly Grant[], company: Company): string[] {
  const lowestFrom = grants.map(({ sequence }) => sequence);
  for (let at = grants.length - 2; at >= 0; at -= 1) {
    lowestFrom[at] = Math.min(lowestFrom[at]!, lowestFrom[at + 1]!);
  }
  return companies(grants)
    .map((inside, at) => {
      const { sequence } = grants[at]!;
      const coming = lowestFrom[at]! < sequence ? grants.slice(at + 1) : [];
      const earlier = [...inside, ...coming].filter((other) => other.sequence < sequence);
      return [...earlier, grants[at]!];
    })
    .filter((withEarlier) => !company(withEarlier))
    .map((withEarlier) => {
      const earlier = withEarlier.slice(0, -1).map(text).join(', ');
      return `before its turn: ${text(withEarlier.at(-1)!)}, earlier: ${earlier}`;
    });
}

/** How many were in at the same time, at most. */
export function mostInside(grants: readonly Grant[]): number {
  return Math.max(...companies(grants).map(({ length }) => length));
}

/** For each grant, in their order, those who are in when it begins, its own holder last. */
function companies(grants: readonly Grant[]): Grant[][] {
  let inside: Grant[] = [];
  return grants.map((grant) => (inside = [...inside.filter(({ to }) => grant.from < to), grant]));
}

function text({ actor, kind, sequence }: Grant): string {
  return `${actor} ${kind} ${sequence}`;
}
