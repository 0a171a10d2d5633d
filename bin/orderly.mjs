#!/usr/bin/env node
// `orderly`, for a link to this file in a folder of the PATH: the same as `npm run -s orderly --`, without the start of npm.
import { basename } from 'node:path';

const name = basename(process.argv[1] ?? '');
process.env.ORDERLY_PROGRAM = name.endsWith('.mjs') ? `node ${process.argv[1]}` : name;
process.argv.splice(2, 0, 'orderly');
await import('../tools/run.mjs');
