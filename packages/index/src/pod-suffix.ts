/** The suffixes that ReplicaSets, DaemonSets and StatefulSets give to their pods: for pods whose owner is not known. */
export const POD_SUFFIX = '(-[a-f0-9]{6,10})?-[a-z0-9]{5}$|-[0-9]+$'
