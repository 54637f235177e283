import type {
  InjectionToken,
  ModuleMetadata,
  OptionalFactoryDependency,
  Provider,
  Type,
} from '@nestjs/common';
import { LockConfigError } from './errors/lock-config.error.js';
import { ASYNC_SOURCE_INVALID } from './zk-lock.messages.js';
import { resolveOptions } from './zk-lock.options-check.js';
import type { ZkLockModuleExtras, ZkLockModuleOptions } from './zk-lock.options.js';

/** Implemented by the class behind `useClass` and `useExisting`. */
export interface ZkLockOptionsFactory {
  createZkLockOptions(): ZkLockModuleOptions | Promise<ZkLockModuleOptions>;
}

export type FactoryDependency = InjectionToken | OptionalFactoryDependency;

/** What Nest passes to a factory for each of its tokens: an instance of a class, anything for other tokens. */
export type Injected<Tokens extends readonly FactoryDependency[]> = {
  -readonly [At in keyof Tokens]: Tokens[At] extends abstract new (...args: never[]) => infer Instance
    ? Instance
    : never;
};

/** Where the options come from: exactly one of `useFactory`, `useClass` and `useExisting`. */
export interface ZkLockModuleAsyncOptions<
  Tokens extends readonly FactoryDependency[] = readonly FactoryDependency[],
>
  extends ZkLockModuleExtras, Pick<ModuleMetadata, 'imports'> {
  /** What the factory is given, in this order. */
  inject?: Tokens;
  /** Makes the options. */
  useFactory?: (...dependencies: Injected<Tokens>) => ZkLockModuleOptions | Promise<ZkLockModuleOptions>;
  /** A class that makes the options; an instance of it is made for this module. */
  useClass?: Type<ZkLockOptionsFactory>;
  /** A provider that makes the options and exists already: in one of `imports`, or global. */
  useExisting?: InjectionToken<ZkLockOptionsFactory>;
}

/** @internal Providers that put the checked options under `provide`. */
export function asyncOptionsProviders<Tokens extends readonly FactoryDependency[]>(
  provide: symbol,
  options: ZkLockModuleAsyncOptions<Tokens>,
): Provider[] {
  const { inject, useFactory, useClass, useExisting } = options;
  const sources = { useFactory, useClass, useExisting };
  const given = Object.entries(sources).flatMap(([name, source]) => (source === undefined ? [] : [name]));
  if (given.length !== 1) throw new LockConfigError(ASYNC_SOURCE_INVALID(given));
  if (useFactory !== undefined) {
    return [
      {
        provide,
        inject: [...(inject ?? [])],
        useFactory: async (...dependencies: Injected<Tokens>) =>
          resolveOptions(await useFactory(...dependencies)),
      },
    ];
  }
  const source = useExisting ?? useClass;
  const fromSource: Provider = {
    provide,
    inject: source === undefined ? [] : [source],
    useFactory: async (factory: ZkLockOptionsFactory) => resolveOptions(await factory.createZkLockOptions()),
  };
  return useClass === undefined ? [fromSource] : [useClass, fromSource];
}
