/** Personal data that can be forgotten: envelope encryption by a key for each person (crypto-shredding). */
export { erasureOfFunction } from './erasure.js';
export { personalKeysOfFunction } from './keys-of-function.js';
export { openEvents, openFields } from './personal-fields.js';
export { type Forgotten, KeyMissing, PersonalKeys, type PersonalKeysSettings, type SealedAt } from './personal-keys.js';
export { PersonalRequest, type PreparedFields } from './personal-request.js';
export { type Place, SealBroken, Unsealed } from './sealed.js';
