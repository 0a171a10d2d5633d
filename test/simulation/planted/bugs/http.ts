import { bugsIn, type PlantedBug } from '../bug.js';

const http = bugsIn('packages/kit/http/http.ts');

export const HTTP: readonly PlantedBug[] = [
  http('answers may be kept by whoever is on their way', 'read-one', {
    from: '    ...ANSWER_HEADERS,\n',
    to: '',
  }),
];
