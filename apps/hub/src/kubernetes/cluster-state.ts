import type { RecordedEvent } from '@tapdeck/recording'
import {
  endpointEvents,
  nodeEvents,
  podEvents,
  reportedEvent,
  rolloutEvents,
  type WorkloadState,
  workloadState,
} from './change-events.ts'
import type { ClusterNames } from './cluster-names.ts'
import { ContainerCreations } from './container-creations.ts'
import { type EventRecord, eventRecord } from './event-record.ts'
import { type NodeRecord, nodeRecord } from './node-record.ts'
import { type PodRecord, podRecord } from './pod-record.ts'
import { RecordMap } from './record-map.ts'
import type { ResourceSink } from './resource-watch.ts'
import { serviceRecord } from './service-record.ts'
import { type SliceRecord, sliceRecord } from './slice-record.ts'
import { type NamespaceRecord, namespaceRecord, ownedRecord, workloadRecord } from './workload-record.ts'

export interface ClusterStateOptions {
  readonly names: ClusterNames
  readonly now: () => number
  /** Events before this time are known from an earlier run. Unix milliseconds. */
  readonly coveredUntil: number
  /** Names or events changed. */
  changed(): void
  event(events: readonly RecordedEvent[]): void
  /** An object that could not be read. */
  rejected(resource: string, error: unknown): void
}

/** A kind of objects: where it is listed, and what takes it. */
export interface WatchedKind {
  readonly resource: string
  readonly path: string
  readonly metadataOnly?: boolean
  readonly sink: ResourceSink
}

/** Turns the objects of a cluster into names over time and into events. */
export class ClusterState {
  /** THE list of what is watched. The role of the hub in the chart names the same. */
  readonly kinds: readonly WatchedKind[]
  readonly #options: ClusterStateOptions
  readonly #pods = new RecordMap<PodRecord>()
  readonly #nodes = new RecordMap<NodeRecord>()
  readonly #slices = new RecordMap<SliceRecord>()
  readonly #reported = new RecordMap<EventRecord>()
  readonly #creations = new ContainerCreations()
  /** Kinds whose objects were all listed once: from then on a new object is news. */
  readonly #listed = new Set<string>()

  constructor(options: ClusterStateOptions) {
    this.#options = options
    const apps = '/apis/apps/v1'
    this.kinds = [
      this.#owned('replicasets', `${apps}/replicasets`),
      this.#owned('jobs', '/apis/batch/v1/jobs'),
      this.#kind('nodes', '/api/v1/nodes', nodeRecord, {
        put: (node, now) => {
          this.#emit('nodes', nodeEvents(this.#nodes.put(node), node, now))
          options.names.putNode(node, now)
        },
        remove: (uid, _last, now) => {
          this.#nodes.remove(uid)
          options.names.removeNode(uid, now)
        },
        keepOnly: (uids, now) => {
          this.#nodes.keepOnly(uids)
          options.names.keepOnlyNodes(uids, now)
        },
      }),
      this.#namespaces(),
      this.#kind('pods', '/api/v1/pods', podRecord, {
        put: (pod, now) => {
          const before = this.#pods.put(pod)
          this.#emit('pods', podEvents(before, pod, now))
          options.names.putPod(pod, now, this.#creations.firstOf(pod.uid))
        },
        remove: (uid, last, now) => {
          this.#pods.remove(uid)
          options.names.removePod(uid, last, now)
        },
        keepOnly: (uids, now) => {
          this.#pods.keepOnly(uids)
          options.names.keepOnlyPods(uids, now)
        },
      }),
      this.#kind('services', '/api/v1/services', serviceRecord, {
        put: (service, now) => options.names.services.put(service, now),
        remove: (uid, _last, now) => options.names.services.remove(uid, now),
        keepOnly: (uids, now) => options.names.services.keepOnly(uids, now),
      }),
      this.#kind('endpointslices', '/apis/discovery.k8s.io/v1/endpointslices', sliceRecord, {
        put: (slice, now) => {
          this.#emit('endpointslices', endpointEvents(this.#slices.put(slice), slice, now))
          options.names.services.putSlice(slice, now)
        },
        remove: (uid, _last, now) => {
          const before = this.#slices.remove(uid)
          if (before) this.#emit('endpointslices', endpointEvents(before, undefined, now))
          options.names.services.removeSlice(uid, now)
        },
        keepOnly: (uids, now) => {
          for (const gone of this.#slices.keepOnly(uids))
            this.#emit('endpointslices', endpointEvents(gone, undefined, now))
          options.names.services.keepOnlySlices(uids, now)
        },
      }),
      this.#workload('Deployment', 'deployments', `${apps}/deployments`),
      this.#workload('StatefulSet', 'statefulsets', `${apps}/statefulsets`),
      this.#workload('DaemonSet', 'daemonsets', `${apps}/daemonsets`),
      this.#kind('events', '/api/v1/events', eventRecord, {
        put: (event, now) => {
          const before = this.#reported.put(event)
          this.#takeCreation(event, now)
          const isNews = before ? event.count > before.count || event.at > before.at : true
          if (isNews && event.at > options.coveredUntil) options.event([reportedEvent(event)])
        },
        remove: (uid) => {
          this.#reported.remove(uid)
          this.#creations.remove(uid)
        },
        keepOnly: (uids) => {
          this.#reported.keepOnly(uids)
          this.#creations.keepOnly(uids)
        },
      }),
    ]
  }

  /** The nodes of the cluster, as far as they were listed. */
  get nodes(): readonly NodeRecord[] {
    return this.#nodes.all
  }

  /** Objects that are kept, by kind. */
  get sizes(): Readonly<Record<string, number>> {
    return {
      pods: this.#pods.size,
      nodes: this.#nodes.size,
      endpointslices: this.#slices.size,
      events: this.#reported.size,
      owners: this.#options.names.owners.size,
    }
  }

  /** Events and pods are watched apart: whichever comes last completes the other. */
  #takeCreation(event: EventRecord, now: number): void {
    if (!this.#creations.put(event) || !event.created) return
    const { podUid } = event.created
    const pod = this.#pods.get(podUid)
    if (pod) this.#options.names.putPod(pod, now, this.#creations.firstOf(podUid))
  }

  #owned(resource: string, path: string): WatchedKind {
    const { names } = this.#options
    const listed = new Set<string>()
    const kind = this.#kind(resource, path, ownedRecord, {
      put: (record) => {
        listed.add(record.uid)
        names.putOwned(record)
      },
      remove: (uid) => {
        listed.delete(uid)
        names.owners.remove(uid)
      },
      keepOnly: (uids) => {
        for (const uid of listed)
          if (!uids.has(uid)) {
            listed.delete(uid)
            names.owners.remove(uid)
          }
      },
    })
    return { ...kind, metadataOnly: true }
  }

  #namespaces(): WatchedKind {
    const known = new RecordMap<NamespaceRecord>()
    const append = (type: string, name: string, ts: number) =>
      this.#emit('namespaces', [{ ts, kind: 'cluster', type, name, namespace: name }])
    const kind = this.#kind('namespaces', '/api/v1/namespaces', namespaceRecord, {
      put: (record, now) => {
        if (!known.put(record)) append('namespace_added', record.name, now)
      },
      remove: (uid, _last, now) => {
        const gone = known.remove(uid)
        if (gone) append('namespace_removed', gone.name, now)
      },
      keepOnly: (uids, now) => {
        for (const { name } of known.keepOnly(uids)) append('namespace_removed', name, now)
      },
    })
    return { ...kind, metadataOnly: true }
  }

  #workload(kind: string, resource: string, path: string): WatchedKind {
    const known = new RecordMap<WorkloadState>()
    return this.#kind(resource, path, workloadRecord, {
      put: (record, now) => {
        const state = workloadState(known.get(record.uid), record)
        this.#emit(resource, rolloutEvents(kind, known.put(state), state, now))
      },
      remove: (uid) => void known.remove(uid),
      keepOnly: (uids) => void known.keepOnly(uids),
    })
  }

  #kind<Kind extends { readonly uid: string }>(
    resource: string,
    path: string,
    read: (object: unknown) => Kind,
    take: {
      put(record: Kind, now: number): void
      remove(uid: string, last: Kind | undefined, now: number): void
      keepOnly(uids: ReadonlySet<string>, now: number): void
    },
  ): WatchedKind {
    const { now, changed, rejected } = this.#options
    const tryRead = (object: unknown): Kind | undefined => {
      try {
        return read(object)
      } catch (error) {
        rejected(resource, error)
        return undefined
      }
    }
    return {
      resource,
      path,
      sink: {
        put: (object) => {
          const record = tryRead(object)
          if (!record) return
          take.put(record, now())
          changed()
        },
        remove: (uid, object) => {
          take.remove(uid, tryRead(object), now())
          changed()
        },
        keepOnly: (uids) => {
          take.keepOnly(uids, now())
          this.#listed.add(resource)
          changed()
        },
      },
    }
  }

  /** What a first list shows happened before the hub looked: only what was missed becomes an event. */
  #emit(resource: string, events: readonly RecordedEvent[]): void {
    const { coveredUntil, event } = this.#options
    const listed = this.#listed.has(resource)
    const missed = ({ type, ts }: RecordedEvent) => type === 'container_ended' && ts > coveredUntil
    const news = events.filter((one) => listed || missed(one))
    if (news.length > 0) event(news)
  }
}
