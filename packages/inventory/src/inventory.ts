/** A pod and the addresses it had. `from` and `until` are Unix milliseconds; absent means open on that side. */
export interface Pod {
  readonly name: string
  readonly namespace: string
  readonly ips: readonly string[]
  readonly node?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
  readonly uid?: string
  readonly from?: number
  readonly until?: number
}

/** A service, its own addresses, and the endpoints behind it. Without `ports` every port of an endpoint counts. */
export interface Service {
  readonly name: string
  readonly namespace: string
  readonly ips?: readonly string[]
  readonly ports?: readonly number[]
  readonly endpoints?: readonly { readonly ip: string; readonly ports?: readonly number[] }[]
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
  readonly from?: number
  readonly until?: number
}

/** A machine of the cluster, its first address first. */
export interface Node {
  readonly name: string
  readonly ips: readonly string[]
}

/** Who had which address, at which time. Static in a file, or fed by a cluster. */
export interface Inventory {
  readonly pods: readonly Pod[]
  readonly services: readonly Service[]
  readonly nodes?: readonly Node[]
}
