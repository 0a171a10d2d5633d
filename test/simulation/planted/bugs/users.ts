import { bugsIn, type PlantedBug } from '../bug.js';

const user = bugsIn('lambdas/users/domain/user.ts');
const forgetUser = bugsIn('lambdas/users/forget-user.ts');
const patchProfile = bugsIn('lambdas/users/patch-profile.ts');

export const USERS: readonly PlantedBug[] = [
  user('a new status loses the profile', 'user-races', {
    from: 'return { ...kept, ...profile, status: event.data.newStatus };',
    to: 'return { ...kept, status: event.data.newStatus };',
  }),
  user('a new profile makes a user active', 'user-races', {
    from: 'return { ...kept, ...changed };',
    to: "return { ...kept, ...changed, status: 'ACTIVE' };",
  }),
  forgetUser('a user is forgotten, and the data key stays', 'user-races', {
    from: "alongside: [erasure(userId, 'customer')],",
    to: 'alongside: [],',
  }),
  patchProfile('a patch of a profile does not look at If-Match', 'if-match', {
    from: 'refuseVersionMismatch(ifMatch, user?.version ?? 0);',
    to: '',
  }),
  patchProfile('a key that comes with another patch of the same fields gets the earlier answer', 'if-match', {
    from: `  if (replayed && profile !== 'forgotten' && !isSameJson(profile as Json, mergeProfile(profile, patch)))
    record.refuseReused();
`,
    to: '',
  }),
];
