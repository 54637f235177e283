import { describeKinds, same } from './support/every-kind.suite.js';

describeKinds({
  'multi-lock': same(({ locks }, key) => locks.multiLock([`${key}-a`, `${key}-b`])),
  'multi-lock of mixed modes': same(({ locks }, key) =>
    locks.multiLock([{ key: `${key}-a`, mode: 'write' }, { key: `${key}-b`, mode: 'read' }, `${key}-c`]),
  ),
});
