/** Number of histories until a process has compiled its code and created its environments. */
const COLD = 20;

/** CPU time of a history in a warm process. */
export class Pace {
  private readonly warm: number[] = [];

  /** @param number number of the history in its process, from 1 @param cpu its CPU time in milliseconds */
  add(number: number, cpu: number): void {
    if (number > COLD) this.warm.push(cpu);
  }

  /** Returns `, median 212 ms of CPU (180 warm)`, or an empty text if no history was warm. */
  told(): string {
    const { length } = this.warm;
    if (length === 0) return '';
    const sorted = this.warm.toSorted((one, other) => one - other);
    const [below = 0, above = 0] = [sorted[Math.floor((length - 1) / 2)], sorted[Math.floor(length / 2)]];
    return `, median ${Math.round((below + above) / 2)} ms of CPU (${length} warm)`;
  }
}
