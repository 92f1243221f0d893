import type { ClusterPods } from '../kubernetes/cluster-pods.ts'

/** A pod of a cluster, with the way to it. */
export interface TargetPod {
  readonly cluster: ClusterPods
  readonly namespace: string
  readonly name: string
}
