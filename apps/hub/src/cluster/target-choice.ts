/** Which pods are indexed, and which packets are captured. */
export interface TargetChoice {
  readonly regex: string
  readonly namespaces: readonly string[]
  readonly excludedNamespaces: readonly string[]
  readonly bpf: string
}
