import { defineProblems } from '@orderly/kit/http';

export const ReportsProblem = defineProblems({
  'not-closed-yet': { status: 404, title: 'Day not closed yet' },
});
