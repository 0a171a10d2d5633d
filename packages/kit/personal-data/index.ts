/** Personal data that can be forgotten: envelope encryption by a key for each person (crypto-shredding). */

export { type Place, SealBroken, Unsealed } from '../messages/sealed.js';
export { erasureFromEnvironment } from './erasure.js';
export { openEvents, openFields } from './open-fields.js';
export { type Forgotten, KeyMissing, PersonalKeys, type PersonalKeysSettings, type SealedAt } from './personal-keys.js';
export { personalKeysFromEnvironment } from './personal-keys-from-environment.js';
