/** What a recorder has to say of a run when it is ended. */
export interface Recorded {
  readonly packets: number
  /** Packets that the kernel had no room for, and those that were lost after it. */
  readonly drops: number
}

/** A recorder that runs in a process of its own. */
export interface Recorder {
  /** CPU seconds so far, of all its threads. */
  cpu(): number
  stop(): Promise<Recorded>
}
