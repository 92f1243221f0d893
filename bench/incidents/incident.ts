import type { Stage } from './stage/stage.ts'

/** What the investigator has to name. */
export interface Truth {
  /** Kinds of finding that name the cause. */
  readonly kinds: readonly string[]
  readonly server: string
  /** Absent: any client. */
  readonly client?: string
}

/** One planted incident: real servers and clients, a healthy part, a fault, and noise that misleads. */
export interface PlantedIncident {
  readonly name: string
  /** Services and their number of pods. */
  readonly services: Readonly<Record<string, number>>
  /** Absent: nothing is wrong, and no finding may be more than a note. */
  readonly truth?: Truth
  /** Starts servers and load. The fault begins at `stage.fault`; the load ends with the stage. */
  play(stage: Stage): Promise<void>
}
