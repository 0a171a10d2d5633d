import { assemblies, DEV, LOCAL } from '../../tools/local/assembly.js';
import { prodAssembly, SIMULATED_ASSEMBLIES } from './simulation/assembly.js';
import { QUICK } from './simulation/effort.js';

// Makes what the simulator plays and what is deployed to the emulator, before the processes that need it start: each would
// make it for itself.
if (QUICK) prodAssembly();
else assemblies([...SIMULATED_ASSEMBLIES, DEV, LOCAL]);
