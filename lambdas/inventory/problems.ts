import { defineProblems } from '../../packages/kit/http/errors.js';

export const InventoryProblem = defineProblems({
  'stock-reserved': { status: 409, title: 'Stock is reserved' },
});
