import { tokens, type Token } from './source-tokens.js';

/** A name that the signature of a function binds, and where its value is found in the arguments. */
export interface Binding {
  readonly name: string;
  /** Position of the parameter. */
  readonly index: number;
  /** Where in the parameter, when it is taken apart: `{ buyer: { id } }` binds `id` at `buyer.id`. */
  readonly path: readonly string[];
  /** True for `...rest`: the value is the list of all arguments from `index` on. */
  readonly rest: boolean;
}

export interface Signature {
  readonly bindings: readonly Binding[];
  /** How many parameters are declared; Infinity when the last one takes the rest. */
  readonly count: number;
}

/** Reads the parameters out of the source of a function. Undefined when there is no source (native, bound, proxy). */
export function readSignature(method: (...args: never[]) => unknown): Signature | undefined {
  const source = Function.prototype.toString.call(method);
  if (/\{\s*\[native code\]\s*\}$/.test(source)) return undefined;
  return new SignatureParser(source).parse();
}

const OPENING: ReadonlySet<string> = new Set(['(', '[', '{']);
const CLOSING: ReadonlySet<string> = new Set([')', ']', '}']);

class SignatureParser {
  private readonly stream: Generator<Token, void>;
  private token: Token | undefined;
  private readonly bindings: Binding[] = [];

  constructor(source: string) {
    this.stream = tokens(source);
    this.next();
  }

  parse(): Signature {
    const single = this.skipToParameters();
    if (single !== undefined) {
      return { bindings: [{ name: single, index: 0, path: [], rest: false }], count: 1 };
    }
    this.next();
    let count = 0;
    for (; this.token !== undefined && !this.sees(')'); count += 1) {
      if (this.accept('...')) {
        this.target(count, this.token.kind === 'name' ? [] : undefined, true);
        return { bindings: this.bindings, count: Infinity };
      }
      this.element(count, []);
    }
    return { bindings: this.bindings, count };
  }

  /** Stands on the `(` of the parameters; or returns the name in `name => …`. */
  private skipToParameters(): string | undefined {
    let last = '';
    while (this.token !== undefined && !this.sees('(')) {
      if (this.sees('=>')) return last;
      last = this.token.text;
      if (this.sees('['))
        this.skipGroup(); // a computed name
      else this.next();
    }
    return undefined;
  }

  /** A target, its default value if any, and the comma behind them. */
  private element(index: number, path: readonly string[] | undefined): void {
    const first = this.token;
    this.target(index, path, false);
    this.skipDefault();
    if (this.token === first) this.next(); // no JavaScript that we know: go on all the same
  }

  private skipDefault(): void {
    while (this.token !== undefined && !this.sees(',') && !this.seesClosing()) this.skipGroup();
    this.accept(',');
  }

  /** A name or a pattern. `path` is undefined where no path leads: below a computed key or in a rest of properties. */
  private target(index: number, path: readonly string[] | undefined, rest: boolean): void {
    if (this.accept('{')) this.objectPattern(index, path);
    else if (this.accept('[')) this.arrayPattern(index, path);
    else if (this.token?.kind === 'name') this.bind(index, path, rest);
  }

  private objectPattern(index: number, path: readonly string[] | undefined): void {
    while (this.token !== undefined && !this.accept('}')) {
      if (this.accept('...')) {
        this.element(index, undefined);
        continue;
      }
      const key = this.sees('[') ? undefined : propertyName(this.token);
      const inner = key === undefined || path === undefined ? undefined : [...path, key];
      const shorthand = this.token;
      this.skipGroup();
      if (this.accept(':')) {
        this.element(index, inner);
      } else {
        if (inner !== undefined)
          this.bindings.push({ name: shorthand.text, index, path: inner, rest: false });
        this.skipDefault();
      }
    }
  }

  private arrayPattern(index: number, path: readonly string[] | undefined): void {
    for (let at = 0; this.token !== undefined && !this.accept(']'); at += 1) {
      if (this.accept('...')) this.element(index, undefined);
      else this.element(index, path === undefined ? undefined : [...path, String(at)]);
    }
  }

  private bind(index: number, path: readonly string[] | undefined, rest: boolean): void {
    if (path !== undefined && this.token !== undefined) {
      this.bindings.push({ name: this.token.text, index, path, rest });
    }
    this.next();
  }

  /** One token, or everything from an opening bracket to the one that closes it. */
  private skipGroup(): void {
    let depth = 0;
    do {
      if (this.token?.kind === 'punctuator') {
        if (OPENING.has(this.token.text)) depth += 1;
        else if (CLOSING.has(this.token.text)) depth -= 1;
      }
      this.next();
    } while (depth > 0 && this.token !== undefined);
  }

  private sees(text: string): boolean {
    return this.token?.kind === 'punctuator' && this.token.text === text;
  }

  private seesClosing(): boolean {
    return this.token?.kind === 'punctuator' && CLOSING.has(this.token.text);
  }

  private accept(text: string): boolean {
    if (!this.sees(text)) return false;
    this.next();
    return true;
  }

  private next(): void {
    const { value } = this.stream.next();
    this.token = value ?? undefined;
  }
}

const propertyName = ({ kind, text }: Token): string =>
  kind === 'literal' ? text.replace(/^(['"])(.*)\1$/, '$2') : text;
