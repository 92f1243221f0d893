/** Which pods are indexed, and which packets are captured. */
export interface TargetChoice {
  readonly regex: string
  readonly namespaces: readonly string[]
  readonly excludedNamespaces: readonly string[]
  readonly bpf: string
}

/** The parts in a fixed order, for comparing and storing. */
export function plainChoice({ regex, namespaces, excludedNamespaces, bpf }: TargetChoice) {
  return { regex, namespaces: [...namespaces], excludedNamespaces: [...excludedNamespaces], bpf }
}
