import { bugsIn, type PlantedBug } from '../bug.js';

const commit = bugsIn('packages/kit/messages/commit.ts');
const envelope = bugsIn('packages/kit/messages/envelope.ts');

export const MESSAGES: readonly PlantedBug[] = [
  commit('a commit after a restore has no epoch', 'restored-accounts', {
    from: 'const epoch = Math.max(commit.epoch ?? 0, before);',
    to: 'const epoch = before;',
  }),
  envelope('failures of one step of different sagas count as repeats of one failure', 'participant-fails-26-hours', {
    from: `\`\${source}/\${to}/\${type}/\${data.stepId}\` : undefined`,
    to: `\`\${source}/\${to}/\${type}/\${data.stepId.split('/').at(1)}\` : undefined`,
  }),
  envelope('two publishers that give their events one id are one publisher', 'daily-reports', {
    from: 'isUuid(id) || to ===',
    to: 'id.length > 0 || to ===',
  }),
];
