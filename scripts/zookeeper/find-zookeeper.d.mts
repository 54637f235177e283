export interface ZooKeeperInstallation {
  /** The java command. */
  java: string;
  /** Class path with ZooKeeper's jar and all that it needs. */
  classPath: string;
  /** Where it was found, for messages. */
  source: string;
}

export function findZooKeeper(env?: NodeJS.ProcessEnv): ZooKeeperInstallation;

export function findOrInstallZooKeeper(
  log?: (line: string) => void,
  env?: NodeJS.ProcessEnv,
): Promise<ZooKeeperInstallation>;
