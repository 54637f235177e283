import { hostname } from 'node:os';

/** Who wrote a row: `host:pid`. */
export const PROCESS_NAME = `${hostname()}:${process.pid}`;
