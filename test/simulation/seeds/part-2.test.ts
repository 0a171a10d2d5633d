import { playPart } from './playing.js';

playPart(1);
