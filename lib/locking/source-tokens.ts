/** One token of JavaScript source; comments and white space are left out. */
export interface Token {
  /** A `literal` is a string, a template, a number or a regular expression. */
  readonly kind: 'name' | 'punctuator' | 'literal';
  readonly text: string;
}

const SPACE = /(?:\s|\/\/[^\n\r\u2028\u2029]*|\/\*[^]*?\*\/)+/y;
const NAME = /#?[\p{ID_Start}$_\\][\p{ID_Continue}$\u200c\u200d\\]*/uy;
const NUMBER = /\.?\d[\w.]*/y;
const STRING = /"(?:[^"\\]|\\[^])*"|'(?:[^'\\]|\\[^])*'/y;
const REGEX = /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/\w*/y;
const PUNCTUATOR = /\.\.\.|=>|[^]/y;

/** A `/` behind one of these starts a regular expression, behind anything else it divides. */
const BEFORE_REGEX =
  /^(?:[([{,;=:?!&|^~+\-*/%<>]|=>|\.\.\.|return|typeof|case|in|of|instanceof|new|delete|void|await|yield)$/;

/** Reads `source` token by token, so that a parser may stop where it has seen enough. */
export function* tokens(source: string): Generator<Token, void> {
  for (const { kind, text } of scan(source, 0)) yield { kind, text };
}

function* scan(source: string, start: number): Generator<Token & { end: number }, void> {
  let at = start;
  let before = '(';
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    return pattern.exec(source)?.[0];
  };
  while (at < source.length) {
    at += take(SPACE)?.length ?? 0;
    if (at >= source.length) return;
    let kind: Token['kind'] = 'literal';
    let text = take(STRING) ?? take(NUMBER) ?? (BEFORE_REGEX.test(before) ? take(REGEX) : undefined);
    if (text === undefined && source[at] === '`') text = source.slice(at, endOfTemplate(source, at));
    if (text === undefined) {
      const name = take(NAME);
      kind = name === undefined ? 'punctuator' : 'name';
      text = name ?? take(PUNCTUATOR) ?? '';
    }
    at += text.length;
    before = kind === 'literal' ? 'x' : text;
    yield { kind, text, end: at };
  }
}

/** Where the template literal that starts at `start` ends, with whatever is nested in its `${…}`. */
function endOfTemplate(source: string, start: number): number {
  let at = start + 1;
  while (at < source.length && source[at] !== '`') {
    if (source[at] === '\\') at += 2;
    else if (source.startsWith('${', at)) at = endOfBraces(source, at + 2);
    else at += 1;
  }
  return at + 1;
}

function endOfBraces(source: string, start: number): number {
  let depth = 1;
  for (const { kind, text, end } of scan(source, start)) {
    if (kind === 'punctuator' && text === '{') depth += 1;
    if (kind === 'punctuator' && text === '}') depth -= 1;
    if (depth === 0) return end;
  }
  return source.length;
}
