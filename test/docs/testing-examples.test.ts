// The tests that README.md and docs/testing.md show: each registers itself here.
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { ExampleFolder } from './example-folder.js';
import { MarkdownPage, ROOT } from './markdown.js';

const testing = new MarkdownPage('docs/testing.md');
const folders = [new ExampleFolder(new MarkdownPage('README.md')), new ExampleFolder(testing)] as const;
afterAll(() => folders.forEach((folder) => folder[Symbol.dispose]()));

await folders[0].load('orders.service.spec.ts');
await folders[0].load('orders.lock.spec.ts');
await folders[1].load('orders.lock.spec.ts');

interface JestSettings {
  transform: object;
  extensionsToTreatAsEsm: string[];
  moduleNameMapper: object;
}

describe('Settings for jest in docs/testing.md', () => {
  it('should be those that these tests run with', async () => {
    const own = (await import(join(ROOT, 'jest.config.mjs'))) as { default: JestSettings };
    const { jest } = JSON.parse(testing.blocksIn('json')[0]!.code) as { jest: JestSettings };

    expect(jest.transform).toEqual(own.default.transform);
    expect(jest.extensionsToTreatAsEsm).toEqual(own.default.extensionsToTreatAsEsm);
    expect(own.default.moduleNameMapper).toMatchObject(jest.moduleNameMapper);
  });
});
