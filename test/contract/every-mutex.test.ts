import { describeKinds, same } from './support/every-kind.suite.js';

describeKinds({
  mutex: same(({ locks }, key) => locks.mutex(key)),
  'mutex at a path': same(({ locks }, key) => locks.mutex({ path: `/${key}/some/path` })),
  'striped mutex': same(({ locks }, key) => locks.striped(key, 1).get('value')),
});
