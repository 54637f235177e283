import { LockKeyError } from '../errors/lock-key.error.js';
import { encodeText, encodeValue, toNodeName } from './key-encoding.js';
import * as messages from './locking.messages.js';

/** `<order.id>`: the parameter `order`, and `id` in it. */
export interface Placeholder {
  /** As written between the brackets. */
  readonly source: string;
  /** The name or the position of the parameter. */
  readonly root: string;
  /** The properties to read from it. */
  readonly path: readonly string[];
}

/** A key with placeholders, as the parser left it. */
export interface LockTemplate {
  readonly source: string;
  readonly parts: readonly (string | Placeholder)[];
}

const FORBIDDEN: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);
const TOKEN = /<<|<([^<>\s]*)>|</g;

/** Splits a key into text and placeholders. `<<` stands for a plain `<`; a `>` needs no escape. */
export function parseTemplate(source: string): LockTemplate {
  const parts: (string | Placeholder)[] = [];
  let text = '';
  let end = 0;
  for (const match of source.matchAll(TOKEN)) {
    text += source.slice(end, match.index);
    end = match.index + match[0].length;
    if (match[0] === '<<') {
      text += '<';
      continue;
    }
    const placeholder = parsePlaceholder(source, match[1], match.index);
    const before = parts.at(-1);
    if (before !== undefined && typeof before !== 'string' && !text.includes(':')) {
      throw new LockKeyError(messages.placeholdersTouch(source, before.source, placeholder.source));
    }
    if (text !== '') parts.push(text);
    parts.push(placeholder);
    text = '';
  }
  text += source.slice(end);
  if (text !== '') parts.push(text);
  if (parts.length === 0) throw new LockKeyError(messages.keyEmpty());
  return { source, parts };
}

function parsePlaceholder(template: string, source: string | undefined, at: number): Placeholder {
  const [root, ...path] = (source ?? '').split('.');
  if (source === undefined || !root || path.includes('')) {
    throw new LockKeyError(messages.placeholderNotClosed(template, at));
  }
  for (const segment of [root, ...path]) {
    if (FORBIDDEN.has(segment)) {
      throw new LockKeyError(messages.placeholderForbidden(template, source, segment));
    }
  }
  return { source, root, path };
}

/** Fills in the values; `read` gives the value of a parameter. */
export function fillTemplate(
  template: LockTemplate,
  read: (root: string) => unknown,
): { text: string; nodeName: string } {
  let text = '';
  let nodeName = '';
  for (const part of template.parts) {
    const value = typeof part === 'string' ? part : placeholderText(template, part, read(part.root));
    text += value;
    nodeName += typeof part === 'string' ? encodeText(part) : encodeValue(value);
  }
  return { text, nodeName: toNodeName(text, nodeName) };
}

function placeholderText(template: LockTemplate, { source, path }: Placeholder, root: unknown): string {
  let value = root;
  for (const segment of path) value = (value as Record<string, unknown> | null | undefined)?.[segment];
  if (
    (typeof value === 'string' && value !== '') ||
    (typeof value === 'number' && Number.isFinite(value)) ||
    typeof value === 'bigint' ||
    typeof value === 'boolean'
  ) {
    return String(value);
  }
  throw new LockKeyError(messages.placeholderValue(template.source, source, value), { key: template.source });
}

/** `{id}`, `${order.id}`, `#{id}` and `:id` are placeholders elsewhere. */
const FOREIGN =
  /[#$]?\{\s*(?<braced>[\p{ID_Start}$_][\p{ID_Continue}$.]*)\s*\}|:(?!\$\{)(?<plain>[\p{ID_Start}$_][\p{ID_Continue}$.]*)/gu;

/**
 * The first thing in a key without placeholders that another library would read as one.
 * @param isName whether a name, `id` or `order.id`, could be meant.
 */
export function foreignPlaceholder(
  { parts: [text, ...more] }: LockTemplate,
  isName: (name: string) => boolean,
): { written: string; name: string } | undefined {
  if (typeof text !== 'string' || more.length > 0) return undefined;
  for (const { 0: written, groups } of text.matchAll(FOREIGN)) {
    const name = groups?.braced ?? groups?.plain ?? '';
    if (isName(name)) return { written, name };
  }
  return undefined;
}
