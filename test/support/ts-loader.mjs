// Lets plain node run the project's TypeScript: `node --import ./test/support/ts-loader.mjs file.ts`. Sources are compiled as
// jest compiles them, each time they are loaded, so there is no build to go stale.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { register } from 'node:module';
import { fileURLToPath } from 'node:url';
import jestConfig from '../../jest.config.mjs';

const ROOT = new URL('../../', import.meta.url);
const ENTRY_POINTS = {
  'nestjs-zk-lock': new URL('lib/index.ts', ROOT).href,
  'nestjs-zk-lock/health': new URL('lib/health/index.ts', ROOT).href,
  'nestjs-zk-lock/testing': new URL('lib/testing/index.ts', ROOT).href,
};
const SWC_OPTIONS = jestConfig.transform['^.+\\.ts$'][1];

// The same file is loaded a second time, in node's thread for hooks, under another URL.
if (!import.meta.url.endsWith('?hooks')) register(`${import.meta.url}?hooks`);

/** The package's own name means its sources, and `./thing.js` in a TypeScript file means `./thing.ts`. */
export async function resolve(specifier, context, nextResolve) {
  if (specifier in ENTRY_POINTS)
    return { url: ENTRY_POINTS[specifier], format: 'module', shortCircuit: true };
  if (/^\.{1,2}\/.*\.js$/.test(specifier) && context.parentURL?.endsWith('.ts')) {
    const source = new URL(specifier.replace(/\.js$/, '.ts'), context.parentURL);
    if (existsSync(source)) return { url: source.href, format: 'module', shortCircuit: true };
  }
  return nextResolve(specifier, context);
}

export async function load(url, context, nextLoad) {
  if (!url.endsWith('.ts') || !url.startsWith(ROOT.href)) return nextLoad(url, context);
  const { transform } = await import('@swc/core'); // here, and not in every thread
  const filename = fileURLToPath(url);
  const { code } = await transform(await readFile(filename, 'utf8'), {
    ...SWC_OPTIONS,
    filename,
    sourceMaps: 'inline',
    swcrc: false,
  });
  return { format: 'module', source: code, shortCircuit: true };
}
