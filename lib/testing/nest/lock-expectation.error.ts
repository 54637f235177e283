import type { Contender } from '../../recipes/contender.js';

/** What `ZkLockTesting` expected of a lock, and what it saw. A plain error: every test framework shows it. */
export class LockExpectationError extends Error {
  override readonly name = 'LockExpectationError';

  constructor(
    key: string,
    what: string,
    timeoutMs: number,
    readonly contenders: readonly Contender[],
    /** Paths of all ephemeral nodes at the server: a lock that is there under another key is among them. */
    nodes: readonly string[],
  ) {
    const seen = contenders.length === 0 ? ['  nobody holds it or waits for it'] : contenders.map(line);
    const elsewhere = contenders.length > 0 ? [] : ['Nodes of locks at the server:', ...orNone(nodes)];
    super(
      [
        `Expected the lock "${key}" to be ${what}. After ${timeoutMs} ms it was not:`,
        ...seen,
        ...elsewhere,
      ].join('\n'),
    );
  }
}

function line({ state, mode, host = 'another library', pid, purpose, sessionId, path }: Contender): string {
  const who = [host, pid !== undefined && `pid ${pid}`, purpose, `session ${sessionId}`];
  return `  ${state} (${mode}): ${who.filter(Boolean).join(', ')}, ${path}`;
}

function orNone(nodes: readonly string[]): string[] {
  return nodes.length === 0 ? ['  none'] : nodes.map((node) => `  ${node}`);
}
