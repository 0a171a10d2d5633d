export { handler } from '../../../kit/inbox/example.collector.js';
