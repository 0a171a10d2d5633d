// For tools/operator, until it moves into the kit and imports it from `outputs.ts`.
export type { ConsumerDescription } from './outputs.js';
