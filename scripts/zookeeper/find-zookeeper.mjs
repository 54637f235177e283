// Finds a ZooKeeper to run on this machine: ZK_HOME, Debian's jars, or (as root on Debian or Ubuntu) apt-get.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { canInstallPackages, installPackages } from './debian-packages.mjs';

const DEBIAN_JARS = '/usr/share/java';
const DEBIAN_NAMES = [
  /^zookeeper(-jute)?\.jar$/,
  /^slf4j-(api|simple)\.jar$/,
  /^netty(-[a-z-]+)?\.jar$/,
  /^jackson-(annotations|core|databind)\.jar$/,
  /^(commons-cli|commons-io|metrics-core|snappy-java|audience-annotations|log4j-1\.2)\.jar$/,
  /^jline\d*\.jar$/,
];

const WAYS = `Ways to get one:
  - Debian or Ubuntu: apt-get install --no-install-recommends zookeeper default-jre-headless
  - any system: unpack a release of Apache ZooKeeper (3.5 or newer), install Java (8 or newer), and set ZK_HOME to the unpacked folder`;

/**
 * The ZooKeeper that is on this machine.
 * @throws {Error} when there is none; the message lists the ways to get one
 */
export function findZooKeeper(env = process.env) {
  const java = findJava(env);
  const jars = env.ZK_HOME ? jarsOfRelease(env.ZK_HOME) : jarsOfDebian();
  if (jars && java) {
    return {
      java,
      classPath: jars.join(delimiter),
      source: env.ZK_HOME ? `ZK_HOME=${env.ZK_HOME}` : DEBIAN_JARS,
    };
  }
  const missing = jars ? 'ZooKeeper is here, but no Java was found (JAVA_HOME, PATH).' : missingJars(env);
  throw new Error(`${missing}\n${WAYS}`);
}

/**
 * The ZooKeeper that is on this machine; when there is none, and this is root on Debian or Ubuntu, it is installed.
 * @param {(line: string) => void} [log] told before something is installed
 * @throws {Error} when there is none and it could not be installed; the message lists the ways to get one
 */
export async function findOrInstallZooKeeper(log = () => undefined, env = process.env) {
  try {
    return findZooKeeper(env);
  } catch (error) {
    if (!canInstallPackages()) throw error;
    const packages = [];
    if (!env.ZK_HOME && !jarsOfDebian()) packages.push('zookeeper');
    if (!findJava(env)) packages.push('default-jre-headless');
    if (packages.length === 0) throw error;
    await installPackages(packages, log);
    return findZooKeeper(env);
  }
}

function findJava(env) {
  const candidates = env.JAVA_HOME ? [join(env.JAVA_HOME, 'bin', 'java'), 'java'] : ['java'];
  return candidates.find((java) => spawnSync(java, ['-version'], { stdio: 'ignore' }).status === 0);
}

function jarsOfRelease(home) {
  const lib = join(home, 'lib');
  const jars = existsSync(lib) ? readdirSync(lib).filter((name) => name.endsWith('.jar')) : [];
  return jars.some((name) => /^zookeeper-\d/.test(name)) ? jars.map((name) => join(lib, name)) : undefined;
}

function jarsOfDebian() {
  if (!existsSync(join(DEBIAN_JARS, 'zookeeper.jar'))) return undefined;
  const jars = readdirSync(DEBIAN_JARS).filter((name) => DEBIAN_NAMES.some((pattern) => pattern.test(name)));
  return jars.map((name) => join(DEBIAN_JARS, name));
}

function missingJars(env) {
  return env.ZK_HOME
    ? `ZK_HOME is "${env.ZK_HOME}", but there is no lib/zookeeper-<version>.jar in it.`
    : `No ZooKeeper was found: ZK_HOME is not set, and ${DEBIAN_JARS}/zookeeper.jar does not exist.`;
}
