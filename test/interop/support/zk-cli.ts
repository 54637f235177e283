import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { findZooKeeper } from '../../../scripts/zookeeper/find-zookeeper.mjs';
import { ProcessGuard } from '../../../scripts/zookeeper/process-guard.mjs';

const MAIN = 'org.apache.zookeeper.ZooKeeperMain';

/** What zkCli.sh wrote, with what differs from run to run made the same. */
export interface CliOutput {
  readonly answers: readonly string[];
  readonly errors: readonly string[];
  /** Watch events: they come in between, from another thread. */
  readonly events: readonly string[];
}

/** Runs ZooKeeper's command line, the class behind zkCli.sh, with these lines as its input. */
export async function zkCli(connectString: string, commands: readonly string[]): Promise<CliOutput> {
  const { java, classPath } = findZooKeeper();
  const jvm = ['-Xmx128m', '-XX:+UseSerialGC', '-Dorg.slf4j.simpleLogger.defaultLogLevel=off'];
  const child = spawn(java, [...jvm, '-cp', classPath, MAIN, '-server', connectString]);
  const guard = new ProcessGuard();
  if (child.pid !== undefined) guard.watch(child.pid);
  const written = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (text: string) => (written[stream] += text));
  }
  child.stdin.end(`${commands.join('\n')}\nquit\n`);
  await once(child, 'close');
  guard.forget();
  guard.release();
  const lines = written.stdout.split('\n').filter((line) => line !== '' && line !== 'WATCHER::');
  const isEvent = (line: string): boolean => line.startsWith('WatchedEvent ');
  // It ends before it has told of its own end, or after.
  const isEnd = (line: string): boolean => line.startsWith('WatchedEvent state:Closed ');
  return {
    answers: comparable(lines.filter((line) => !isEvent(line) && !line.startsWith('Connecting to '))),
    errors: written.stderr.split('\n'),
    events: lines.filter((line) => isEvent(line) && !isEnd(line)),
  };
}

/** Zxids count from the first one that is told, times and the session's id are left out. */
function comparable(lines: readonly string[]): string[] {
  let first: bigint | undefined;
  return lines.map((line) => {
    const [, name, zxid] = /^([cmp]Zxid) = (0x[0-9a-f]+)$/.exec(line) ?? [];
    if (zxid === undefined) {
      return line.replace(/^([cm]time) = .*/, '$1').replace(/^(ephemeralOwner) = 0x0*[1-9a-f].*/, '$1');
    }
    first ??= BigInt(zxid);
    return `${name} = first + ${BigInt(zxid) - first}`;
  });
}
