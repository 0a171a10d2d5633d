import { findPart } from './looking.js';

findPart(1);
