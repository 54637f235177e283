import { Inject, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { LockConfigError } from '../errors/lock-config.error.js';
import { getLockServiceToken } from '../zk-lock.tokens.js';
import { DistributedLockInterceptor, LOCK_HANDLER } from './distributed-lock.interceptor.js';
import { LeaderElections } from './leader-elections.js';
import { findLostOverrides, ownLockSites, prototypeChain, type LockSite } from './lock-sites.js';
import { INTERCEPTOR } from './locked-method.js';
import * as messages from './locking.messages.js';

/** One of these is found on every method that Nest calls as a handler: route, gateway message, microservice pattern. */
const HANDLER_MARKS = ['path', 'websockets:message_mapping', 'microservices:handler_type'];

type Wrapper = ReturnType<DiscoveryService['getProviders']>[number];

/** Looks at all locked methods of the application when it starts, and says what would not work as it is written. */
@Injectable()
export class LockSiteExplorer implements OnModuleInit {
  private readonly logger = new Logger('ZkLockModule');
  private readonly sites = new Set<LockSite>();

  constructor(
    @Inject(DiscoveryService) private readonly discovery: DiscoveryService,
    @Inject(DistributedLockInterceptor) private readonly interceptor: DistributedLockInterceptor,
    @Inject(LeaderElections) private readonly elections: LeaderElections,
  ) {}

  /** How many methods are locked with a connection. Known after `onModuleInit`. */
  countOf(connectionName?: string): number {
    const token = getLockServiceToken(connectionName);
    return [...this.sites].filter(({ plan }) => getLockServiceToken(plan.connection) === token).length;
  }

  /** @throws LockConfigError for a connection that does not exist, and for a handler whose lock would never fire. */
  onModuleInit(): void {
    const warnings = new Set<string>();
    for (const wrapper of [...this.discovery.getControllers(), ...this.discovery.getProviders()]) {
      const prototype = prototypeOf(wrapper);
      const chain = prototypeChain(prototype);
      const sites = chain.flatMap((owner) => ownLockSites(owner).map((site) => ({ owner, site })));
      if (prototype === null || sites.length === 0) continue;
      for (const { owner, site } of sites) {
        if (this.sites.has(site)) continue;
        this.sites.add(site);
        this.check(owner, site);
        if (!site.plan.kindIsKnown && site.decorator !== 'LockHandler') {
          warnings.add(messages.returnTypeUnknown(site.plan.site));
        }
      }
      for (const { override, site } of findLostOverrides(prototype)) {
        warnings.add(messages.lostOverride(override, site.plan.site));
      }
      if (isStranger(wrapper)) warnings.add(messages.notInjected(prototype.constructor.name));
    }
    for (const warning of warnings) this.logger.warn(warning);
  }

  private check(owner: object, { decorator, method, plan }: LockSite): void {
    const service = this.interceptor.serviceOf(plan);
    if (plan.leader !== undefined) this.elections.join(service, plan.leader);
    if (decorator !== 'LockHandler') return;
    const handler = (owner as Record<string | symbol, object>)[method] ?? {};
    if (!Reflect.hasOwnMetadata(LOCK_HANDLER, handler)) {
      throw new LockConfigError(messages.lostHandlerLock(plan.site));
    }
    if (!HANDLER_MARKS.some((mark) => Reflect.hasMetadata(mark, handler))) {
      throw new LockConfigError(messages.noHandler(plan.site));
    }
  }
}

/** Made by a factory or given as a value, so that Nest injects nothing into it. */
const isMadeElsewhere = ({ inject, metatype }: Wrapper): boolean =>
  Boolean(inject) || typeof metatype !== 'function';

function prototypeOf(wrapper: Wrapper): object | null {
  if (!isMadeElsewhere(wrapper)) return (wrapper.metatype?.prototype as object | undefined) ?? null;
  const instance: unknown = wrapper.instance;
  return typeof instance === 'object' && instance !== null
    ? (Object.getPrototypeOf(instance) as object | null)
    : null;
}

const isStranger = (wrapper: Wrapper): boolean =>
  isMadeElsewhere(wrapper) && !(INTERCEPTOR in (wrapper.instance as object));
