import { prodAssembly } from '../simulation/support/assembly.js';

// Makes what the simulator plays before its workers start: each of them would make it for itself.
prodAssembly();
