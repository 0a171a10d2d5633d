/** Lanes: one writer decides many commands on a key under contention in one transaction. */
export { createLaneEntrance } from './entrance.js';
export {
  createJointLane,
  createLane,
  type Lane,
  type LaneDecision,
  type LaneMessage,
  type LaneRequest,
  type LaneRules,
  type RefusedShare,
} from './lane.js';
export { laneWriter } from './writer.js';
