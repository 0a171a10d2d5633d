/** A piece of work. It handles its own failure. */
export type Job = () => Promise<void>;

/** Runs one job after the other. A long job lets those that wait run in between. */
export class Jobs {
  private readonly waiting: Job[] = [];
  private isBusy = false;

  /** Runs a job now, or when those before it have ended. */
  async add(job: Job): Promise<void> {
    this.waiting.push(job);
    if (this.isBusy) return;
    this.isBusy = true;
    try {
      await this.runWaiting();
    } finally {
      this.isBusy = false;
    }
  }

  /** Runs those that wait: a long job calls it between two of its steps. */
  async runWaiting(): Promise<void> {
    for (let job = this.waiting.shift(); job; job = this.waiting.shift()) await job();
  }
}
