import { existsSync, readFileSync } from 'node:fs';

/** From the package.json next above: that of the package, whether this runs as built or from its source. */
export function packageVersion(): string {
  let file = new URL('./package.json', import.meta.url);
  while (!existsSync(file)) file = new URL('../package.json', file);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
