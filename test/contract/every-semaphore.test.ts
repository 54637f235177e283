import { describeKinds, same } from './support/every-kind.suite.js';

describeKinds({
  'semaphore with one permit': same(({ locks }, key) => locks.semaphore(key, 1)),
  'all permits of a semaphore': same(({ locks }, key) => locks.semaphore(key, 2), { permits: 2 }),
});
