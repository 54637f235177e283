// Starts the process of the embedded servers before the first test. It is one for all: to start it takes longer than a server.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { ProcessGuard } from '../../../scripts/zookeeper/process-guard.mjs';

const SERVERS = fileURLToPath(new URL('embedded-servers.ts', import.meta.url));
const LOADER = new URL('../ts-loader.mjs', import.meta.url).href;

export default async function start() {
  const child = fork(SERVERS, {
    env: { ...process.env, NODE_OPTIONS: '' }, // jest's own NODE_OPTIONS are not for the child
    execArgv: ['--enable-source-maps', '--import', LOADER],
  });
  new ProcessGuard().watch(child.pid);
  const [port] = await once(child, 'message', { signal: AbortSignal.timeout(60_000) });
  child.unref();
  child.channel.unref();
  process.env.ZK_EMBEDDED_PORT = String(port); // for the tests, in whatever process
}
