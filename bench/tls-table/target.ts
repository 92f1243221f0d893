import type { Stage, Version } from './stage.ts'

/** A running client and server, of which one is a target. */
export interface Exchange {
  readonly port: number
  /** One request for each marker, each on a connection of its own. */
  each(markers: readonly string[]): Promise<void>
  /** The same on few connections, where the client can. */
  together(markers: readonly string[]): Promise<void>
}

/** A row of the table. */
export interface Target {
  readonly name: string
  /** Why it cannot run here. */
  missing?(): string | undefined
  open(stage: Stage, version: Version): Promise<Exchange>
}
