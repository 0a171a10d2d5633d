import { assembly, localAssembly } from '../../tools/local/assembly.js';
import { prodAssembly } from '../simulation/support/assembly.js';
import { QUICK } from '../simulation/support/effort.js';

// Makes what the simulator plays and what is deployed to the emulator, before the processes that need it start: each would
// make it for itself.
prodAssembly();
if (!QUICK) {
  assembly('dev');
  await localAssembly();
}
