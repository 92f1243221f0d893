/** What made a pod: a ReplicaSet, a Deployment, a Job. */
export interface Owner {
  readonly kind: string
  readonly name: string
}

/** A pod and the addresses it had. `from` and `until` are Unix milliseconds; absent means open on that side. */
export interface Pod {
  readonly name: string
  readonly namespace: string
  readonly ips: readonly string[]
  /** Only these ports of the addresses belong to the pod: it shares the network of its node. Absent: all ports. */
  readonly ports?: readonly number[]
  readonly node?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
  /** From the direct owner to the last: ReplicaSet, then Deployment. */
  readonly owners?: readonly Owner[]
  readonly uid?: string
  readonly from?: number
  readonly until?: number
}

/** An address behind a service. Without times it holds as long as the service. */
export interface ServiceEndpoint {
  readonly ip: string
  readonly ports?: readonly number[]
  readonly from?: number
  readonly until?: number
}

/** A service, its own addresses, and the endpoints behind it. Without `ports` every port of an endpoint counts. */
export interface Service {
  readonly name: string
  readonly namespace: string
  readonly ips?: readonly string[]
  readonly ports?: readonly number[]
  /** Ports that lead to the service at the address of every node. */
  readonly nodePorts?: readonly number[]
  /** The DNS name that the service is an alias of. */
  readonly externalName?: string
  readonly endpoints?: readonly ServiceEndpoint[]
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
  readonly uid?: string
  readonly from?: number
  readonly until?: number
}

/** A machine of the cluster, its first address first. */
export interface Node {
  readonly name: string
  readonly ips: readonly string[]
  /** Addresses of its other devices, such as tunnels and bridges of the pod network. */
  readonly deviceIps?: readonly string[]
  /** Blocks from which its pods have their addresses. Only where pods of no other node have addresses of them. */
  readonly podCIDRs?: readonly string[]
  readonly uid?: string
  readonly from?: number
  readonly until?: number
}

/** Who had which address, at which time. Static in a file, or fed by a cluster. */
export interface Inventory {
  readonly pods: readonly Pod[]
  readonly services: readonly Service[]
  readonly nodes?: readonly Node[]
}
