#!/usr/bin/env node
import { main } from './command-line.js';

process.exitCode = await main(process.argv.slice(2));
