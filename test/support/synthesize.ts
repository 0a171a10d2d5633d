import { soundBundlesOf } from '../simulation/planted/plant.js';
import { prodAssembly } from '../simulation/support/assembly.js';

// Makes what the simulator plays, and what bugs are planted into, before its workers start: each would make it for itself.
soundBundlesOf(prodAssembly());
