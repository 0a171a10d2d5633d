// Preloaded into a child process (`node --import`). The child ends when its stdin closes. Only its parent holds the
// other end, so the child ends with its parent, even if the parent is killed.
process.stdin.resume().once('close', () => process.exit(1));
process.stdin.unref();
