export { handler } from '../../../kit/inbox/example.collected.js';
