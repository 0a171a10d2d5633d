// Preloaded into a child (`node --import`): it ends with whoever started it and holds the other end of its stdin,
// however they die.
process.stdin.resume().once('close', () => process.exit(1));
process.stdin.unref();
