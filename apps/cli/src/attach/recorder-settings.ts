/** The configuration of a recorder that shares memory and disk with the pod that it records. */
export const RECORDER_SETTINGS: readonly string[] = [
  'tap.capture.raw.storageSize=256Mi',
  'tap.capture.dbMaxSize=64Mi',
  'tap.capture.bufferSize=16Mi',
  // Process ids of the other containers are not visible.
  'tap.capture.events.enabled=false',
  'tap.capture.dissection.stopAfter=0',
  'tap.snapshots.local.storageSize=256Mi',
]

/** Exclusive of the application's: the kubelet counts them for the whole pod. */
export const RECORDER_NEEDS = { memoryMi: 512, storageMi: 800 } as const

/** Where the volume with key logs is in the recorder's container. */
export const KEY_LOGS = '/key-logs'

/** The port of a recorder's own hub, on the loopback of the pod. */
export const RECORDER_PORT = 8898

/** After this line, a recorder has read what it needs from its standard input. */
export const RECEIVED = 'Received'
