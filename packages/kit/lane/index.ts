/** Lanes: one writer decides many commands on a key under contention in one transaction. */
export { entranceOf } from './entrance.js';
export {
  type Lane,
  type LaneDecision,
  type LaneMessage,
  type LaneRequest,
  type LaneRules,
  lane,
  laneOf,
  type RefusedShare,
} from './lane.js';
export { laneWriter } from './writer.js';
