/** A service, workload, pod or address. */
export interface Party {
  readonly name: string
  readonly ns?: string
}

/** Figures of calls that have something in common. */
export interface Traffic {
  readonly client: Party
  readonly server: Party
  readonly proto: string
  /** Of calls by path: a template. */
  readonly path?: string
  /** Of failed calls: what kind of failure. */
  readonly error?: string
  readonly calls: number
  /** Calls that failed; not those that the capture has only in part. */
  readonly failures: number
  readonly unanswered: number
  readonly p50?: number
  readonly p90?: number
  readonly requestBytes: number
  readonly responseBytes: number
  /** Unix milliseconds of the first and the last call. */
  readonly first: number
  readonly last: number
}

/** One window of calls. */
export interface Observation {
  readonly from: number
  readonly to: number
  /** By client, server and protocol. */
  readonly edges: readonly Traffic[]
  /** By client, server, protocol and path. */
  readonly paths: readonly Traffic[]
  /** Failed calls, by client, server, protocol, error and path. */
  readonly failures: readonly Traffic[]
  /** By service (as `client`) and pod (as `server`), of servers. */
  readonly replicas: readonly Traffic[]
  /** Not all groups were read: what is missing may exist. */
  readonly isCut: boolean
}

/** TCP connections between two parties, over their whole life. */
export interface Connections {
  readonly client: Party
  readonly server: Party
  readonly connections: number
  readonly packets: number
  readonly requestBytes: number
  readonly responseBytes: number
  readonly retransmissions: number
  readonly zeroWindows: number
}

/** Something that happened in the cluster. */
export interface Incident {
  readonly ts: number
  readonly type: string
  readonly subject: Party
  readonly reason?: string
}

export interface Certificate {
  readonly server: Party
  /** Address or pod that presented it. */
  readonly holder: string
  readonly notAfter: number
  /** When it was presented. Unix milliseconds. */
  readonly seen: number
}

/** All that the detectors look at. Without `before` there is nothing to compare with. */
export interface Evidence {
  readonly before?: Observation
  readonly after: Observation
  readonly connections: readonly Connections[]
  readonly incidents: readonly Incident[]
  readonly certificates: readonly Certificate[]
}

export function keyOfParty({ name, ns }: Party): string {
  return ns === undefined ? name : `${ns}/${name}`
}

export function keyOfEdge({ client, server }: Pick<Traffic, 'client' | 'server'>): string {
  return `${keyOfParty(client)} → ${keyOfParty(server)}`
}

/** At least a millisecond, so that rates are finite. */
export function secondsOf({ from, to }: Pick<Observation, 'from' | 'to'>): number {
  return Math.max(to - from, 1) / 1000
}
