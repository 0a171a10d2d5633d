/** Histories of a process until its code is compiled and its environments are there. */
const COLD = 20;

/** What a history costs once a process is warm. */
export class Pace {
  private readonly warm: number[] = [];

  /** @param number of the history in its process, from 1 @param cpu its milliseconds of CPU */
  add(number: number, cpu: number): void {
    if (number > COLD) this.warm.push(cpu);
  }

  /** `, median 212 ms of CPU (180 warm)`; nothing where no history was warm. */
  told(): string {
    const { length } = this.warm;
    if (length === 0) return '';
    const sorted = this.warm.toSorted((one, other) => one - other);
    const [below = 0, above = 0] = [sorted[Math.floor((length - 1) / 2)], sorted[Math.floor(length / 2)]];
    return `, median ${Math.round((below + above) / 2)} ms of CPU (${length} warm)`;
  }
}
