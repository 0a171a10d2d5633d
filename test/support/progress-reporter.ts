import type { Reporter, TestModule, TestSpecification } from 'vitest/node';

/** Seconds between two lines. */
const EVERY_SECONDS = 10;

/** Says now and then how far a run is: `  41 of 153 files after 62 s`. */
export default class ProgressReporter implements Reporter {
  private files = 0;
  private ended = 0;
  private began = performance.now();
  private told = performance.now();

  onTestRunStart(specifications: readonly TestSpecification[]): void {
    this.files = specifications.length;
    this.began = performance.now();
    this.told = this.began;
  }

  onTestModuleEnd(_module: TestModule): void {
    this.ended += 1;
    const now = performance.now();
    if (now - this.told < EVERY_SECONDS * 1000 && this.ended < this.files) return;
    this.told = now;
    console.log(`  ${this.ended} of ${this.files} files after ${Math.round((now - this.began) / 1000)} s`);
  }
}
