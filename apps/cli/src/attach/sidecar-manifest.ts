import { type RecorderOptions, recorderArguments, SECURITY } from './recorder-container.ts'
import { RECORDER_NEEDS } from './recorder-settings.ts'

/** The manifest of a recorder that starts before the containers of a pod and ends after them. */
export function sidecarManifest(
  options: Omit<RecorderOptions, 'pod' | 'keep'> & { readonly tokenDigest: string },
): string {
  const args = recorderArguments({ ...options, pod: '$(POD_NAMESPACE)/$(POD_NAME)', keep: '0' })
  const { runAsUser, runAsNonRoot, allowPrivilegeEscalation, seccompProfile } = SECURITY
  return `# Add this to the pod template (spec.template.spec) of a Deployment, StatefulSet or Job. Kubernetes 1.29 or newer.
initContainers:
  - name: tapdeck
    image: ${JSON.stringify(options.image)}
    # A sidecar: it starts before the other containers and runs as long as they do.
    restartPolicy: Always
    args: ${JSON.stringify(args)}
    env:
      - { name: POD_NAMESPACE, valueFrom: { fieldRef: { fieldPath: metadata.namespace } } }
      - { name: POD_NAME, valueFrom: { fieldRef: { fieldPath: metadata.name } } }
    resources:
      requests: { cpu: 50m, memory: 300Mi }
      limits: { memory: ${RECORDER_NEEDS.memoryMi}Mi }
    # Root, for the NET_RAW that runtimes give to root by default. No capability is added. Not admitted by Pod Security "restricted".
    securityContext: { runAsUser: ${runAsUser}, runAsNonRoot: ${runAsNonRoot}, allowPrivilegeEscalation: ${allowPrivilegeEscalation}, seccompProfile: { type: ${seccompProfile.type} } }
    terminationMessagePolicy: FallbackToLogsOnError
    volumeMounts:
      - { name: tapdeck-data, mountPath: /data }
${options.keyLogs ? `      - { name: ${options.keyLogs.volume}, mountPath: /key-logs, readOnly: true }\n` : ''}volumes:
  - { name: tapdeck-data, emptyDir: { sizeLimit: ${RECORDER_NEEDS.storageMi}Mi } }
`
}
