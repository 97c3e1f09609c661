// How long to wait before the next attempt to connect.
//
// Here: exponential growth with jitter. Not here: when to attempt (`connection`).

/**
 * Waits in seconds that double from `firstS` to `mostS`, each shortened at random by up to half.
 *
 * The jitter keeps a thousand bots from coming back to a restarted server in step.
 */
export class Backoff {
  private upcomingS: number;

  constructor(
    private readonly firstS = 0.2,
    private readonly mostS = 5,
    private readonly chance: () => number = Math.random,
  ) {
    this.upcomingS = firstS;
  }

  /** The next wait, in seconds. */
  nextS(): number {
    const wait = this.upcomingS;
    this.upcomingS = Math.min(this.mostS, wait * 2);
    return wait * (1 - this.chance() / 2);
  }

  /** Begins with the shortest wait again, after a connection that held. */
  reset(): void {
    this.upcomingS = this.firstS;
  }
}
