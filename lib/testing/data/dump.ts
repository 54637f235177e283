import type { DataNode } from './data-node.js';
import type { DataTree } from './data-tree.js';
import { ownerKind, ttlOf } from './owner.js';

const SHOWN_BYTES = 60;

/** The tree, a node a line, indented by depth; without what ZooKeeper itself keeps under /zookeeper. */
export function dumpTree(tree: DataTree): string {
  const lines: string[] = [];
  const visit = (path: string, name: string, depth: number) => {
    const node = tree.get(path);
    if (!node) return;
    lines.push('  '.repeat(depth) + describe(name, node));
    for (const child of node.children.toSorted()) {
      const childPath = `${path === '/' ? '' : path}/${child}`;
      if (childPath !== '/zookeeper') visit(childPath, child, depth + 1);
    }
  };
  visit('/', '/', 0);
  return lines.join('\n');
}

function describe(name: string, { data, owner }: DataNode): string {
  const kinds = {
    none: '',
    session: ` (ephemeral of 0x${owner.toString(16)})`,
    container: ' (container)',
    ttl: ` (ttl ${ttlOf(owner)} ms)`,
  };
  const text = data?.toString('utf8') ?? '';
  const shown = text.length > SHOWN_BYTES ? `${text.slice(0, SHOWN_BYTES)}…` : text;
  return `${name}${kinds[ownerKind(owner)]}${text ? ` = ${JSON.stringify(shown)}` : ''}`;
}
