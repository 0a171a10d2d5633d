import { playPart } from './place-one.js';

playPart(3);
