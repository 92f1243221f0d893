import { KEY_LOGS, RECORDER_PORT } from './recorder-settings.ts'

export interface RecorderOptions {
  readonly image: string
  /** `NAMESPACE/NAME`. */
  readonly pod: string
  /** How long it records; 0: until it is stopped. */
  readonly keep: string
  /** The digest of the token that its own hub accepts; absent: it joins a hub. */
  readonly tokenDigest?: string
  /** A volume of the pod with key logs, and a path in it. */
  readonly keyLogs?: { readonly volume: string; readonly path: string }
}

/** Root, because capabilities of a container reach a process of root only. No capability is added, and none is dropped. */
export const SECURITY = {
  runAsUser: 0,
  runAsNonRoot: false,
  allowPrivilegeEscalation: false,
  seccompProfile: { type: 'RuntimeDefault' },
} as const

export function recorderArguments({ pod, keep, tokenDigest, keyLogs }: RecorderOptions): string[] {
  const logs = keyLogs && `${KEY_LOGS}${keyLogs.path === '' ? '' : `/${keyLogs.path}`}`
  return [
    'recorder',
    `--pod=${pod}`,
    `--keep=${keep}`,
    tokenDigest === undefined ? '--join' : `--token-digest=${tokenDigest}`,
    ...(tokenDigest === undefined ? [] : ['--set', `hub.port=${RECORDER_PORT}`]),
    ...(logs === undefined
      ? []
      : ['--set', 'tap.tls.capture.enabled=true', '--set', `tap.tls.capture.keyLogFiles={${logs}}`]),
  ]
}

/** The ephemeral container of a recorder. */
export function recorderContainer(name: string, options: RecorderOptions) {
  const { keyLogs, tokenDigest } = options
  return {
    name,
    image: options.image,
    imagePullPolicy: 'IfNotPresent',
    args: recorderArguments(options),
    // A Service called tapdeck would set TAPDECK_PORT; this is what the image does, too.
    env: [{ name: 'TAPDECK_DATA', value: '/data' }],
    // The credential comes this way: it is never in the pod's spec.
    ...(tokenDigest === undefined && { stdin: true, stdinOnce: true }),
    securityContext: SECURITY,
    terminationMessagePolicy: 'FallbackToLogsOnError',
    ...(keyLogs && { volumeMounts: [{ name: keyLogs.volume, mountPath: KEY_LOGS, readOnly: true }] }),
  }
}
