import { loadSharedDeployment } from './test/support/simulation/app-code.js';
import { prodAssembly } from './test/support/simulation/assembly.js';
import { placeOne } from './test/simulation/scenarios/place-one.js';
import { playSingleFaults } from './packages/simulator/search/singles.js';
import { playWithFaults } from './packages/simulator/search/scenario.js';
const deployment = loadSharedDeployment(prodAssembly());
const cpu = () => { const u = process.cpuUsage(); return (u.user + u.system) / 1e6; };
let t = cpu();
for (let i = 0; i < 4; i++) { const h = await playWithFaults(deployment, placeOne, 'singles', []); const n = cpu(); console.log('calm', (n - t).toFixed(2), h.points.length, h.trace.length, h.fingerprint.slice(0,8), h.points.reduce((s, p) => s + p.kinds.length, 0)); t = n; }
let last = cpu(); const begin = last; const times: number[] = [];
const max = Number(process.env.MAX ?? 100);
const prints: string[] = [];
const { runs, broken } = await playSingleFaults(deployment, placeOne, { maxFaults: max, onHistory: (h) => { const n = cpu(); times.push(n - last); last = n; prints.push(h.fingerprint); } });
times.sort((a, b) => a - b);
console.log('runs', runs, 'broken', broken.length, 'mean', ((last - begin) / runs).toFixed(3), 'median', times[times.length >> 1].toFixed(3), 'max', times.at(-1)!.toFixed(2));
const { createHash } = await import('node:crypto');
console.log(createHash('sha256').update(prints.join()).digest('hex').slice(0, 12), new Set(prints).size);
