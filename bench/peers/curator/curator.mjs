// Apache Curator, the program beside this file: compiled once, then run as often as it is measured.
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ensurePresent } from '../../../scripts/install.mjs';
import { findOrInstallZooKeeper } from '../../../scripts/zookeeper/find-zookeeper.mjs';

const JARS = '/usr/share/java';
const NAMES = ['curator-recipes', 'curator-framework', 'curator-client', 'guava', 'slf4j-nop'];
const HERE = fileURLToPath(new URL('.', import.meta.url));

export async function curatorCommand(folder) {
  const wanted = Object.fromEntries(NAMES.map((name) => [`${JARS}/${name}.jar`, packageOf(name)]));
  await ensurePresent({ javac: 'default-jdk-headless', ...wanted });
  const { java, classPath } = await findOrInstallZooKeeper(console.log);
  const classes = join(folder, 'curator');
  await mkdir(classes);
  const others = classPath.split(delimiter).filter((jar) => !jar.includes('slf4j-simple')); // it logs nothing
  const jars = [classes, ...NAMES.map((name) => `${JARS}/${name}.jar`), ...others].join(delimiter);
  const sources = readdirSync(HERE).filter((name) => name.endsWith('.java'));
  await promisify(execFile)('javac', [
    '-nowarn',
    '-cp',
    jars,
    '-d',
    classes,
    ...sources.map((name) => join(HERE, name)),
  ]);
  return [java, '-Xmx1g', '-cp', jars, 'CuratorPeer'];
}

function packageOf(name) {
  if (name.startsWith('slf4j')) return 'libslf4j-java';
  return `lib${name}-java`;
}
