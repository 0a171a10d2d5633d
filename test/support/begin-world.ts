import { expect } from 'vitest';
import { beginWorld, inSimulator } from './world.js';

// Vitest runs this before each test file, and test files of one worker share their modules. Searches in the simulator make
// clouds of their own.
const isScenario = expect.getState().testPath?.includes('/test/acceptance/') === true;
if (isScenario || !inSimulator) await beginWorld();
