// Tables in Markdown, for the terminal and for the page.
import { WORKLOADS } from '../workloads.mjs';
import { cellsOf } from './columns.mjs';
import { medians } from './medians.mjs';

const SERVERS = { zk1: '', zk3: ', three ZooKeeper servers' };

/** One table for each workload and server. */
export function tablesOf({ samples }) {
  const rows = medians(samples);
  const groups = Object.keys(WORKLOADS).flatMap((id) =>
    Object.keys(SERVERS).map((server) => ({ id, server })),
  );
  return groups.flatMap(({ id, server }) => {
    const own = rows.filter((row) => row.workload === id && row.server === server);
    if (own.length === 0) return [];
    const { title, latency } = WORKLOADS[id];
    const cells = cellsOf(id, own);
    return [{ id, server, title: `${id}${SERVERS[server]}: ${title}`, latency, cells }];
  });
}

/** A table whose columns are as wide as they have to be. */
export function markdown([heads, ...lines]) {
  const widths = heads.map((_, i) => Math.max(3, ...[heads, ...lines].map((cells) => cells[i].length)));
  const line = (cells) => `| ${cells.map((cell, i) => cell.padEnd(widths[i])).join(' | ')} |`;
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  return [line(heads), rule, ...lines.map(line)].join('\n');
}

export function print(results) {
  for (const { title, latency, cells } of tablesOf(results)) {
    console.log(`\n${title} (latency: ${latency})\n${markdown(cells)}`);
  }
}
