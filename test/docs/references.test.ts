import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { MarkdownPage, ROOT } from './markdown.js';

const pages = MarkdownPage.all();
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** The anchor that GitHub makes of a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');

describe.each(pages)('References of $path', ({ path, prose, headings }) => {
  it('should lead somewhere', () => {
    const links = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
    for (const link of links.filter((target) => !/^https?:/.test(target))) {
      const [file = '', anchor] = link.split('#');
      const target = file === '' ? path : join(dirname(path), file);
      expect({ link, exists: existsSync(join(ROOT, target)) }).toEqual({ link, exists: true });
      if (anchor === undefined) continue;
      const anchors = file === '' ? headings : new MarkdownPage(target).headings;
      expect(anchors.map(anchorOf)).toContain(anchor);
    }
  });

  it('should name files that exist', () => {
    const files = [...prose.matchAll(/`((?:lib|test|scripts|docs|bench|sample-app)\/[\w./-]+)`/g)].map(
      ([, file = '']) => file,
    );
    for (const file of files)
      expect({ file, exists: existsSync(join(ROOT, file)) }).toEqual({ file, exists: true });
  });
});

describe('Links of README.md', () => {
  it('should lead to what the package has, but for the sample', () => {
    const { files } = JSON.parse(read('package.json')) as { files: string[] };
    const packed = [...files, 'README.md', 'LICENSE']; // the last two by npm itself
    const links = [...new MarkdownPage('README.md').prose.matchAll(/\]\(([^)#\s]+)/g)].map(
      ([, link = '']) => link,
    );
    const missing = links.filter(
      (link) =>
        !/^https?:/.test(link) && !packed.some((file) => link === file || link.startsWith(`${file}/`)),
    );
    expect(missing).toEqual(['sample-app']);
  });
});

describe('Troubleshooting of README.md', () => {
  const sources = readdirSync(join(ROOT, 'lib'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => read(join('lib', name)));
  const texts = [...sources, read('node_modules/node-gyp-build/node-gyp-build.js'), bigIntInJson()]
    .join('\n')
    // literals that are put together by + are one text
    .replace(/(['"`]) \+\s+['"`]/g, '');
  const titles = new MarkdownPage('README.md').headings.filter((heading) => /^`.*`$/.test(heading));

  it.each(titles)('should quote what is really written: %s', (title) => {
    const parts = title.replaceAll('`', '').split(/[…,]/);
    expect(parts.map((part) => part.trim()).filter((part) => !texts.includes(part))).toEqual([]);
  });

  it('should be there', () => {
    expect(titles.length).toBeGreaterThan(10);
  });
});

function bigIntInJson(): string {
  try {
    return JSON.stringify(1n);
  } catch (error) {
    return String(error);
  }
}
