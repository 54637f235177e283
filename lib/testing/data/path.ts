// What ZooKeeper forbids inside a path: control characters, surrogates and private use, the block of specials.

const FORBIDDEN = /[\0-\u001f\u007f-\u009f\ud800-\uf8ff\ufff0-\uffff]/;
const EMPTY_OR_RELATIVE_NAME = /\/(\.{0,2})(\/|$)/;

/** Whether ZooKeeper takes the path for a write (PathUtils.validatePath). */
export function isValidPath(path: string): boolean {
  if (path === '/') return true;
  return path.startsWith('/') && !EMPTY_OR_RELATIVE_NAME.test(path) && !FORBIDDEN.test(path);
}

/** Everything before the last slash: empty for a child of the root. Undefined when there is no slash. */
export function parentOf(path: string): string | undefined {
  const lastSlash = path.lastIndexOf('/');
  return lastSlash === -1 ? undefined : path.slice(0, lastSlash);
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** A sequence number as it stands in a node's name: Java's `%010d`. */
export function formatSequence(sequence: number): string {
  return sequence < 0 ? `-${String(-sequence).padStart(9, '0')}` : String(sequence).padStart(10, '0');
}
