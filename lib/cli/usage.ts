export const USAGE = `Usage: zk-lock <command>

Commands:
  dev-server   starts a ZooKeeper for development in this process

zk-lock <command> --help tells more; zk-lock --version tells the version.
`;

export const DEV_SERVER_USAGE = `Usage: zk-lock dev-server [options]

Starts a ZooKeeper server for development and prints its connect string. It keeps its data in memory and is no
ensemble: production wants real ZooKeeper servers. Ctrl-C ends it.

Options:
  -p, --port <n>    port to listen on; 0 for a free one (default 2181)
  --host <address>  address to listen on (default 127.0.0.1)
  --tick-time <ms>  sessions expire in steps of it, after 2 to 20 of them (default 2000)
  --force           starts with NODE_ENV=production, too
  -h, --help        shows this text
`;
