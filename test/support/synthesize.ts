import { assembly, localAssembly } from '../../tools/local/assembly.js';
import { soundBundlesOf } from '../simulation/planted/plant.js';
import { prodAssembly } from '../simulation/support/assembly.js';
import { QUICK } from '../simulation/support/effort.js';

// Makes what the simulator plays, what bugs are planted into, and what is deployed to the emulator, before the processes that
// need it start: each would make it for itself.
const bundles = soundBundlesOf(prodAssembly());
if (!QUICK) {
  assembly('dev');
  await localAssembly();
}
await bundles;
