import { expect, test } from 'vitest';
import { readEvent } from '../../../packages/kit/messages/contract.js';
import { coursesContract } from './example.js';

test("the README's example reads what version 1 wrote", () => {
  const seat = { courseId: 'c1', student: 'ada' };
  const read = readEvent(coursesContract, 'SeatBooked', 1, seat);
  expect(read).toEqual({ type: 'SeatBooked', data: { ...seat, price: 0 } });
});
