import { defineProblems } from '@orderly/kit/http';

export const InventoryProblem = defineProblems({
  'stock-reserved': { status: 409, title: 'Stock is reserved' },
});
