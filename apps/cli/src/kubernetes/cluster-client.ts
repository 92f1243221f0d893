/** What talks to Kubernetes, in a bundle of its own: its client is large, and only loaded where it is needed. */
export { openForward } from './cluster-forward.ts'
export { ClusterPods } from './cluster-pods.ts'
