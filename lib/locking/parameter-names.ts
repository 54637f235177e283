import { LockKeyError } from '../errors/lock-key.error.js';
import { nearestName } from '../errors/nearest-name.js';
import { readParameterKeys } from './lock-key.js';
import { foreignPlaceholder, type LockTemplate } from './lock-template.js';
import * as messages from './locking.messages.js';
import { readSignature, type Binding, type Signature } from './method-signature.js';

/** Gives the value of a parameter out of the arguments of a call. */
export type ArgumentReader = (args: readonly unknown[]) => unknown;

// Nest's names for these; its module that exports them has moved between versions.
const ROUTE_ARGS_METADATA = '__routeArguments__';
const CUSTOM_ROUTE_ARGS = '__customRouteArgs__';

/**
 * What the placeholders of a key may be called in one method: `@LockKey('name')` on a parameter first, then what a
 * route decorator calls it (`@Param('name')`) and what the signature calls it; and the position always.
 */
export class ParameterNames {
  private readonly explicit: readonly Binding[];
  private readonly implicit: readonly Binding[];
  private readonly signature: Signature | undefined;

  constructor(
    private readonly site: string,
    target: object,
    name: string | symbol,
    method: (...args: never[]) => unknown,
  ) {
    this.signature = readSignature(method);
    this.explicit = readParameterKeys(target, name).map(([index, key]) => wholeParameter(key, index));
    this.implicit = [...routeNames(target.constructor, name), ...(this.signature?.bindings ?? [])];
  }

  /** @throws LockKeyError for a placeholder that is no parameter, could be two, or is written as elsewhere. */
  readers(template: LockTemplate): ReadonlyMap<string, ArgumentReader> {
    const foreign = this.foreignIn(template);
    if (foreign !== undefined) {
      throw new LockKeyError(messages.foreignPlaceholder(this.site, foreign.written, foreign.name));
    }
    const readers = new Map<string, ArgumentReader>();
    for (const part of template.parts) {
      if (typeof part !== 'string') readers.set(part.root, this.reader(part.root));
    }
    return readers;
  }

  /** What another library would fill in with a parameter. */
  foreignIn(template: LockTemplate): ReturnType<typeof foreignPlaceholder> {
    return foreignPlaceholder(template, (name) => this.names.includes(name.split('.')[0] ?? ''));
  }

  private get names(): string[] {
    return [...new Set([...this.explicit, ...this.implicit].map(({ name }) => name))];
  }

  private reader(root: string): ArgumentReader {
    const binding =
      this.byPosition(root) ?? this.byName(root, this.explicit) ?? this.byName(root, this.implicit);
    if (binding === undefined) {
      const nearest = nearestName(root, this.names);
      throw new LockKeyError(messages.unknownPlaceholder(this.site, root, this.names, nearest));
    }
    const { index, path, rest } = binding;
    return (args) => {
      let value: unknown = rest ? args.slice(index) : args[index];
      for (const segment of path) value = (value as Record<string, unknown> | null | undefined)?.[segment];
      return value;
    };
  }

  private byPosition(root: string): Binding | undefined {
    const index = /^\d+$/.test(root) ? Number(root) : Infinity;
    return index < (this.signature?.count ?? Infinity) ? wholeParameter(root, index) : undefined;
  }

  private byName(root: string, among: readonly Binding[]): Binding | undefined {
    const named = among.filter(({ name }) => name === root);
    const [first, ...others] = named;
    if (others.some(({ index, path }) => index !== first?.index || path.join('.') !== first.path.join('.'))) {
      throw new LockKeyError(
        messages.ambiguousPlaceholder(
          this.site,
          root,
          named.map(({ index }) => index),
        ),
      );
    }
    return first;
  }
}

const wholeParameter = (name: string, index: number): Binding => ({ name, index, path: [], rest: false });

/** `@Param('id')`, `@Query('id')`, `@Body('id')`, `@Payload('id')`, `@Args('id')`: all of them leave the same record. */
function routeNames(owner: object, method: string | symbol): Binding[] {
  const routes = Reflect.getMetadata(ROUTE_ARGS_METADATA, owner, method) as
    Readonly<Record<string, { index: number; data?: unknown }>> | undefined;
  return Object.entries(routes ?? {}).flatMap(([kind, { index, data }]) =>
    // What a custom decorator is given need not be a name.
    typeof data === 'string' && !kind.includes(CUSTOM_ROUTE_ARGS) ? [wholeParameter(data, index)] : [],
  );
}
