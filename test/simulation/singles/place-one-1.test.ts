import { playPart } from './place-one.js';

playPart(0);
