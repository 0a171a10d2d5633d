import { playPart } from './place-one.js';

playPart(1);
