/** One entry of an access control list; null stands for a null string on the wire. */
export interface Permission {
  perms: number;
  scheme: string | null;
  id: string | null;
}

/** A null list or path is a null on the wire, which ZooKeeper's own clients never send. */
export type Path = string | null;

interface Create {
  path: Path;
  data: string | null;
  acl: Permission[] | null;
  flags: number;
}

/** Where a `setWatches` says that the client stands: all that is newer is reported to it. */
export type SeenZxid = 'zero' | 'start of the run' | 'end of the last connection' | 'now' | 'ahead';

interface Watches {
  seen: SeenZxid;
  data: Path[];
  exist: Path[];
  child: Path[];
}

/**
 * One request as plain data, so that it can be generated, shrunk and printed. `~` at the start of a path stands for the root
 * of the run. `raw` is a body that no client would write.
 */
export type Request =
  | ({ op: 'create' | 'create2' | 'createContainer' } & Create)
  | ({ op: 'createTTL'; ttl: number } & Create)
  | { op: 'delete' | 'check'; path: Path; version: number }
  | { op: 'exists' | 'getData' | 'getChildren' | 'getChildren2'; path: Path; watch: boolean }
  | { op: 'getACL' | 'sync' | 'getAllChildrenNumber' | 'getEphemerals' | 'deleteContainer'; path: Path }
  | { op: 'setData'; path: Path; data: string | null; version: number }
  | { op: 'setACL'; path: Path; acl: Permission[] | null; version: number }
  | { op: 'addWatch'; path: Path; mode: number }
  | { op: 'removeWatches' | 'checkWatches'; path: Path; type: number }
  | ({ op: 'setWatches' } & Watches)
  | ({ op: 'setWatches2'; persistent: Path[]; recursive: Path[] } & Watches)
  | { op: 'multi' | 'multiRead'; ops: Request[] }
  | { op: 'auth'; scheme: string | null; auth: string | null }
  | { op: 'whoAmI' | 'ping' | 'closeSession' }
  | { op: 'truncated'; request: Request; bytes: number }
  | { op: 'raw'; type: number; body: number[] };

/** A request as one line for a person. */
export function printRequest(request: Request): string {
  const { op, ...fields } = request;
  if (request.op === 'multi' || request.op === 'multiRead') {
    return `${op}(${request.ops.map(printRequest).join('; ')})`;
  }
  if (request.op === 'truncated')
    return `${printRequest(request.request)} without its last ${request.bytes} bytes`;
  return `${op}(${Object.entries(fields)
    .map(([name, value]) => `${name} ${printValue(value)}`)
    .join(', ')})`;
}

function printValue(value: unknown): string {
  if (typeof value === 'string' && value.length > 80) return `${value.length} characters`;
  return JSON.stringify(value);
}
