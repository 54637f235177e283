// What ZooKeeper refuses in a node's name: control characters, surrogates, private use, specials (PathUtils.validatePath).
const REFUSED = /[\u0000-\u001f\u007f-\u009f\ud800-\uf8ff\ufff0-\uffff]/;

/** Why ZooKeeper would refuse `path` as an absolute path below `/`; undefined when it is fine. */
export function znodePathProblem(path: string): string | undefined {
  if (!path.startsWith('/')) return 'it does not start with "/"';
  if (path.length > 1 && path.endsWith('/')) return 'it ends in "/"';
  if (path.includes('//')) return 'it has an empty name ("//")';
  const refused = REFUSED.exec(path)?.[0];
  if (refused !== undefined) {
    return `it has the character U+${refused.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}, which ZooKeeper refuses`;
  }
  const names = path.slice(1).split('/');
  const relative = names.find((name) => name === '.' || name === '..');
  if (relative !== undefined) return `it has the relative name "${relative}"`;
  if (names[0] === 'zookeeper') return '"/zookeeper" belongs to the server';
  return undefined;
}

/** The path above; `/` for a node at the top. */
export function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/')) || '/';
}
