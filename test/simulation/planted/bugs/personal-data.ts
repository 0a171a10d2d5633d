import { bugsIn, type PlantedBug } from '../bug.js';

const personalKeys = bugsIn('packages/kit/personal-data/personal-keys.ts');

export const PERSONAL_DATA: readonly PlantedBug[] = [
  personalKeys('a new key replaces what stands in its place, be it a tombstone', 'forget-races', {
    from: /await putNew\((\{ TableName.*\}), documents\);/,
    to: "const { PutCommand } = await import('@aws-sdk/lib-dynamodb'); await documents.send(new PutCommand($1));",
  }),
  personalKeys("a key from memory is used without a look at the person's item", 'forget-at-once', {
    from: 'const item = await this.readItem(person);',
    to: 'const item = this.cache.get(person) ?? (await this.readItem(person));',
  }),
  personalKeys('what a request has seen of a person is kept for the next ones', 'forget-at-once', {
    from: 'keys.seen = new Map();',
    to: 'keys.seen = this.seen ??= new Map();',
  }),
  personalKeys("a person's key is read as it was a moment ago", 'forget-at-once', {
    from: /ConsistentRead: true/g,
    to: 'ConsistentRead: false',
  }),
];
