import type { SecretOrigin } from './key-source.ts'
import type { ProgramContext } from './secret-programs.ts'

/** A program at a place of a file. */
export interface PlannedProbe {
  readonly offset: number
  readonly isReturn: boolean
  readonly program: Uint8Array
}

/** What a probe found in a process. */
export interface ProbeRecord {
  /** Number of the probed file. */
  readonly file: number
  /** Unix milliseconds. */
  readonly at: number
  readonly pid: number
  readonly comm: string
  readonly cgroup: bigint
  readonly isReadable: boolean
  /** The whole record. */
  readonly bytes: Buffer
}

export interface FoundSecret {
  readonly label: string
  readonly random: Buffer
  readonly secret: Uint8Array
}

/** Where a file is probed, and how secrets are read from the records. */
export interface ProbePlan {
  readonly source: SecretOrigin
  /** The probes were planned anew, with what was learned from records: they are to be attached again. */
  readonly isChanged: boolean
  probes(context: ProgramContext): PlannedProbe[]
  /** Undefined if the record has no secret that can be read. */
  secretsOf(record: ProbeRecord): FoundSecret[] | undefined
}
