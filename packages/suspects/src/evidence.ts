/** A service, workload, pod or address. */
export interface Party {
  readonly name: string
  readonly ns?: string
  /** All clients that are neither a pod nor a service, as one: see `mergeOutside`. */
  readonly isOutside?: true
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
  /** Of failed calls without a response: how their connection ended. */
  readonly connectionEnd?: string
  /** Of failed calls: what the server said, where `error` does not have it. Of a sample. */
  readonly text?: string
  /** Of a pod: its node. */
  readonly node?: string
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
  /** Requests without an answer, by client, server and protocol; also those that were still open at the end of the capture. */
  readonly silent: readonly Traffic[]
  readonly lookups: readonly Lookups[]
  readonly answers: readonly NameAnswers[]
  readonly headers: readonly PodHeaders[]
  /** Not all groups were read: what is missing may exist. */
  readonly isCut: boolean
}

/** TCP connections between two parties, over their whole life. */
export interface Connections {
  readonly client: Party
  readonly server: Party
  readonly connections: number
  /** Of these, how many neither side had closed when the capture ended. */
  readonly open: number
  /** How many there were in the time before; absent where there is no time before. */
  readonly connectionsBefore?: number
  readonly packets: number
  readonly requestBytes: number
  readonly responseBytes: number
  readonly retransmissions: number
  readonly zeroWindows: number
  /** When the client, and the server, first accepted no more data. Unix milliseconds; absent: it never did, or that is not known. */
  readonly clientZeroWindow?: number
  readonly serverZeroWindow?: number
  /** Of connections in a sample of answered calls: how many there are, and how many of them carried one or two calls. */
  readonly sampled?: number
  readonly hardlyUsed?: number
  /** For how long those had carried no call at the end of the window, on average. */
  readonly quietMs?: number
}

/** Requests on connections that worked before, sent again and again and never answered. Of a sample. */
export interface Stalled {
  readonly client: Party
  readonly server: Party
  readonly proto: string
  readonly connections: number
  readonly requests: number
  /** The longest time that one of the connections had carried nothing before. Milliseconds. */
  readonly idle: number
  readonly first: number
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
  readonly serial?: string
  readonly issuer?: string
}

/** Questions of one client about one name to one name server, in one window. */
export interface Lookups {
  readonly client: Party
  readonly server: Party
  readonly name: string
  readonly lookups: number
  /** The server answered that there is no such name. */
  readonly missing: number
  readonly unanswered: number
  readonly first: number
}

/** Addresses that a name server gave a client for a name, in one window. Of a sample of lookups. */
export interface NameAnswers {
  readonly client: Party
  readonly server: Party
  readonly name: string
  readonly lookups: number
  readonly addresses: readonly string[]
  /** Services or pods that had these addresses, where they are known. */
  readonly owners: readonly string[]
}

/** What a pod put into the headers of its responses. Of a sample of calls. */
export interface PodHeaders {
  readonly server: Party
  readonly pod: string
  readonly proto: string
  /** Its clock against that of the capture, by the header `date`. Milliseconds; the median of the sample. */
  readonly clockOffset?: number
  /** Headers that had one value in all calls of the sample. */
  readonly constant: Readonly<Record<string, string>>
  readonly calls: number
}

/** One statement of a database session. Unix milliseconds. */
export interface Statement {
  readonly client: Party
  readonly server: Party
  readonly proto: string
  readonly session: string
  readonly text: string
  readonly start: number
  readonly end: number
  /** COMMIT or ROLLBACK. */
  readonly endsTransaction: boolean
}

/** All that the detectors look at. Without `before` there is nothing to compare with. */
export interface Evidence {
  readonly before?: Observation
  readonly after: Observation
  readonly connections: readonly Connections[]
  readonly incidents: readonly Incident[]
  readonly certificates: readonly Certificate[]
  /** Slow statements, and those that end transactions. Of a sample. */
  readonly statements: readonly Statement[]
  readonly stalled: readonly Stalled[]
}

export function keyOfParty({ name, ns, isOutside }: Party): string {
  if (isOutside) return '(outside)'
  return ns === undefined ? name : `${ns}/${name}`
}

export function keyOfEdge({ client, server }: Pick<Traffic, 'client' | 'server'>): string {
  return `${keyOfParty(client)} → ${keyOfParty(server)}`
}

/** At least a millisecond, so that rates are finite. */
export function secondsOf({ from, to }: Pick<Observation, 'from' | 'to'>): number {
  return Math.max(to - from, 1) / 1000
}
