export {
  ZooKeeperProcess as ZooKeeperServer,
  type ZooKeeperProcessOptions as ZooKeeperServerOptions,
} from '../../scripts/zookeeper/zookeeper-process.mjs';
