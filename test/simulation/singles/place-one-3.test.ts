import { playPart } from './place-one.js';

playPart(2);
