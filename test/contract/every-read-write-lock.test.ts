import { describeKinds, same } from './support/every-kind.suite.js';

describeKinds({
  'write lock': same(({ locks }, key) => locks.readWriteLock(key).write),
  'read lock, against writers': {
    lock: ({ locks }, key) => locks.readWriteLock(key).read,
    rival: ({ locks }, key) => locks.readWriteLock(key).write,
  },
});
