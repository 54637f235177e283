import type { LockDecorator, LockPlan } from './lock-plan.js';

/** One decorated method, as its class knows it. */
export interface LockSite {
  readonly decorator: LockDecorator;
  readonly method: string | symbol;
  readonly plan: LockPlan;
}

// Symbol.for: two copies of the library (CommonJS and ESM) find each other's sites.
const SITES: unique symbol = Symbol.for('nestjs-zk-lock.sites');

interface HasSites {
  [SITES]?: LockSite[];
}

/** Remembers on the prototype that a method of it is locked. */
export function addLockSite(prototype: HasSites, site: LockSite): void {
  if (!Object.hasOwn(prototype, SITES)) {
    Object.defineProperty(prototype, SITES, { value: [], enumerable: false });
  }
  prototype[SITES]?.push(site);
}

/** The sites that this very prototype declares, without those it inherits. */
export function ownLockSites(prototype: HasSites): readonly LockSite[] {
  return (Object.hasOwn(prototype, SITES) ? prototype[SITES] : undefined) ?? [];
}

/** A method that took the place of a locked one and does not call it. */
export interface LostOverride {
  /** `SpecialOrders.pay` */
  readonly override: string;
  readonly site: LockSite;
}

/** The prototype and those it inherits from, itself first, without Object's. */
export function prototypeChain(prototype: object | null): object[] {
  if (prototype === null || prototype === Object.prototype) return [];
  return [prototype, ...prototypeChain(Object.getPrototypeOf(prototype) as object | null)];
}

/** Overrides of locked methods that are neither locked themselves nor call `super`: they lost the lock. */
export function findLostOverrides(prototype: object): LostOverride[] {
  const chain = prototypeChain(prototype);
  return chain.flatMap((owner, depth) =>
    ownLockSites(owner).flatMap((site) => {
      const thief = findThief(chain.slice(0, depth), site);
      return thief === undefined
        ? []
        : [{ override: `${thief.constructor.name}.${String(site.method)}`, site }];
    }),
  );
}

/** Follows a call from the class down to where the site stands, as long as each override hands it on. */
function findThief(overriding: readonly object[], site: LockSite): object | undefined {
  for (const prototype of overriding) {
    const override = Object.getOwnPropertyDescriptor(prototype, site.method);
    if (override === undefined) continue;
    if (ownLockSites(prototype).some(({ method }) => method === site.method)) return undefined;
    if (!handsOn(override, site)) return prototype;
  }
  return undefined;
}

// Where the source cannot be read (another decorator's wrapper), a warning too many is the smaller evil.
function handsOn({ value }: PropertyDescriptor, { decorator, method }: LockSite): boolean {
  if (decorator === 'LockHandler' || typeof value !== 'function') return false;
  const source = Function.prototype.toString.call(value);
  return source.includes(`super.${String(method)}`) || source.includes('super[');
}
