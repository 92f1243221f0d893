/** Objects as the API server sends them, with the fields that matter here. Times are seconds since an hour. */
const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1, 12) + seconds * 1000).toISOString()

export const timeAt = (seconds: number) => Date.parse(at(seconds))

interface PodOptions {
  readonly ip?: string
  readonly ips?: readonly string[]
  readonly start?: number
  /** When its node began with it. */
  readonly accepted?: number
  /** When its network became ready; null: it is not. Default: with `start`. */
  readonly network?: number | null
  readonly phase?: string
  readonly ended?: number
  readonly reason?: string
  readonly restarts?: number
  readonly hostNetwork?: boolean
  readonly containerPort?: number
  readonly hostPort?: number
  readonly owner?: { readonly kind: string; readonly name: string; readonly uid: string }
}

export function podObject(uid: string, options: PodOptions = {}) {
  const {
    ip,
    ips = ip === undefined ? [] : [ip],
    start = 0,
    network = start,
    phase = 'Running',
    ended,
    restarts = 0,
  } = options
  const terminated = ended === undefined ? undefined : { reason: options.reason ?? 'Completed', exitCode: 0 }
  const times = { startedAt: at(start), ...(ended !== undefined && { finishedAt: at(ended) }) }
  const over = phase === 'Succeeded' || phase === 'Failed'
  return {
    metadata: {
      uid,
      name: `pod-${uid}`,
      namespace: 'shop',
      creationTimestamp: at(start - 2),
      labels: { app: uid },
      ...(options.owner && { ownerReferences: [{ ...options.owner, controller: true }] }),
    },
    spec: {
      nodeName: 'node1',
      hostNetwork: options.hostNetwork,
      containers: [
        {
          name: 'main',
          ports: options.containerPort
            ? [{ containerPort: options.containerPort, hostPort: options.hostPort }]
            : undefined,
        },
      ],
    },
    status: {
      phase,
      startTime: at(options.accepted ?? start - 1),
      podIPs: ips.map((one) => ({ ip: one })),
      hostIPs: [{ ip: '192.0.2.1' }],
      conditions: [
        {
          type: 'PodReadyToStartContainers',
          status: network === null ? 'False' : 'True',
          lastTransitionTime: at(network ?? ended ?? start),
        },
        { type: 'Ready', status: over ? 'False' : 'True', lastTransitionTime: at(start) },
      ],
      containerStatuses: [
        {
          name: 'main',
          restartCount: restarts,
          state: over
            ? { terminated: { ...terminated, ...times } }
            : phase === 'Pending'
              ? { waiting: { reason: 'ContainerCreating' } }
              : { running: { startedAt: at(start) } },
          ...(terminated && !over && { lastState: { terminated: { ...terminated, ...times } } }),
        },
      ],
    },
  }
}

/** The kubelet created the container of a pod. */
export function createdEvent(podUid: string, last: number, count = 1, more: object = {}) {
  return {
    metadata: { uid: `created-${podUid}`, name: `created-${podUid}`, namespace: 'shop' },
    involvedObject: { kind: 'Pod', name: `pod-${podUid}`, uid: podUid, fieldPath: 'spec.containers{main}' },
    reason: 'Created',
    reportingComponent: 'kubelet',
    count,
    lastTimestamp: at(last),
    ...more,
  }
}

export function serviceObject(name: string, spec: object = {}) {
  return {
    metadata: { uid: `svc-${name}`, name, namespace: 'shop', creationTimestamp: at(-100) },
    spec: { type: 'ClusterIP', clusterIPs: ['10.96.0.1'], ports: [{ port: 80 }], ...spec },
  }
}

export function sliceObject(
  service: string,
  endpoints: readonly { uid?: string; ip: string; ready?: boolean }[],
) {
  return {
    metadata: {
      uid: `slice-${service}`,
      name: `${service}-x`,
      namespace: 'shop',
      creationTimestamp: at(-100),
      labels: { 'kubernetes.io/service-name': service },
    },
    endpoints: endpoints.map(({ uid, ip, ready = true }) => ({
      addresses: [ip],
      conditions: { ready },
      ...(uid !== undefined && { targetRef: { kind: 'Pod', name: `pod-${uid}`, uid } }),
    })),
    ports: [{ port: 8080 }],
  }
}

export function ownedObject(uid: string, owner?: { kind: string; name: string; uid: string }) {
  return {
    metadata: {
      uid,
      name: uid,
      namespace: 'shop',
      ...(owner && { ownerReferences: [{ ...owner, controller: true }] }),
    },
  }
}

export function nodeObject(name: string, ip: string, ready = 'True') {
  return {
    metadata: { uid: `node-${name}`, name, creationTimestamp: at(-1000) },
    spec: { podCIDRs: ['10.244.1.0/24'] },
    status: {
      addresses: [{ type: 'InternalIP', address: ip }],
      conditions: [{ type: 'Ready', status: ready, reason: 'Kubelet', message: 'm' }],
    },
  }
}

export function workloadObject(name: string, image: string, available: number) {
  return {
    metadata: { uid: `d-${name}`, name, namespace: 'shop', generation: 1 },
    spec: { replicas: 2, template: { spec: { containers: [{ image }] } } },
    status: { observedGeneration: 1, replicas: 2, updatedReplicas: available, availableReplicas: available },
  }
}
