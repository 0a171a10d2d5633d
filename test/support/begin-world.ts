import { beginWorld } from './world.js';

// Vitest runs this before each test file, and test files of one worker share their modules.
await beginWorld();
