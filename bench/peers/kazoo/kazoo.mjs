// kazoo, the program beside this file, on Debian's Python.
import { fileURLToPath } from 'node:url';
import { ensurePresent } from '../../../scripts/install.mjs';

const PYTHON = '/usr/bin/python3'; // the one for which Debian's kazoo is installed

export async function kazooCommand() {
  await ensurePresent({ '/usr/lib/python3/dist-packages/kazoo': 'python3-kazoo' });
  return [PYTHON, fileURLToPath(new URL('kazoo_peer.py', import.meta.url))];
}
