import { describe, expect, it } from '@jest/globals';
import { TestingServer } from '../../lib/testing/testing-server.js';
import { ZooKeeperProcess } from '../../scripts/zookeeper/zookeeper-process.mjs';
import { zkCli } from './support/zk-cli.js';

const DIALOGUES: Record<string, string[]> = {
  'nodes and what is told of them': [
    'create /a "first data"',
    'create -e /a/e x',
    'create -s /a/s- y',
    'create -s -e /a/s- y',
    'create -c /c',
    'create /a again',
    'create /no/parent x',
    'create /a/e/child x',
    'ls /',
    'ls -s /a',
    'ls -R /',
    'get /a',
    'get -s /a/e',
    'set -s /a second',
    'set -v 7 /a third',
    'set -v 1 -s /a fourth',
    'stat /a',
    'stat /nowhere',
    'get /nowhere',
    'ls /nowhere',
    'getAllChildrenNumber /',
    'getEphemerals /a',
    'sync /',
    'config',
  ],
  'what is deleted': [
    'create /d x',
    'create /d/one x',
    'create /d/one/two x',
    'create /d/three x',
    'delete /d',
    'delete -v 3 /d/three',
    'delete -v 0 /d/three',
    'delete /d/three',
    'stat /d',
    'deleteall /d',
    'stat /d',
    'delete /zookeeper/config',
    'ls /',
  ],
  'who may do what': [
    'create /o x',
    'getAcl /o',
    'getAcl -s /o',
    'create /closed x digest:user:5w9W4eL3797Y4Wq8AcKUPPk8ha4=:cdrwa',
    'getAcl /closed',
    'get /closed',
    'set /closed y',
    'setAcl /closed world:anyone:r',
    'setAcl /o auth:user:secret:cdrwa',
    'addauth digest user:secret',
    'whoami',
    'get /closed',
    'setAcl /o auth:user:secret:cdr',
    'getAcl /o',
    'set /o z',
    'setAcl -s -v 7 /closed world:anyone:r',
    'setAcl -s /closed world:anyone:r,ip:127.0.0.1:cdrwa',
    'getAcl -s /closed',
    'setAcl /closed nobody:knows:r',
  ],
  'what is watched': [
    'create /w x',
    'get -w /w',
    'set /w y',
    'set /w z',
    'ls -w /w',
    'create /w/child x',
    'stat -w /w/child',
    'delete /w/child',
    'addWatch -m PERSISTENT /w',
    'set /w a',
    'create /w/child x',
    'set /w/child y',
    'removewatches /w',
    'addWatch -m PERSISTENT_RECURSIVE /w',
    'set /w/child z',
    'create /w/child/grandchild x',
    'deleteall /w',
    'removewatches /w',
    'removewatches /w',
  ],
};

describe("ZooKeeper's own zkCli.sh", () => {
  it.each(Object.entries(DIALOGUES))(
    'should hear the same of the embedded server as of ZooKeeper: %s',
    async (_what, commands) => {
      await using real = await ZooKeeperProcess.start();
      await using embedded = await TestingServer.start({ tickTime: 500 });
      const [wanted, got] = await Promise.all([
        zkCli(real.connectString, commands),
        zkCli(embedded.connectString, commands),
      ]);
      expect(wanted.errors).toContainEqual(expect.stringMatching(/^Created \/\w$/)); // it was really asked
      expect(got).toEqual(wanted);
    },
    60_000,
  );
});
