/** Helpers for tests of what is built on the kit. Functions never import them. */
export { given } from './given.js';
