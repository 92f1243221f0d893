import { z } from 'zod'
import { configSchema } from './schema.ts'

const labels = z.record(z.string(), z.string())
/** An object of the Kubernetes API that the chart passes on; the API server checks it. */
const passedOn = z.record(z.string(), z.unknown())
const listPassedOn = z.array(passedOn)

/** A setting of its own for the hub and for the workers. */
const each = <Setting extends z.ZodType>(setting: Setting) =>
  z.strictObject({ hub: setting.optional(), worker: setting.optional() }).optional()

/** The same, and one for dissections as Jobs. */
const eachPod = <Setting extends z.ZodType>(setting: Setting) =>
  z
    .strictObject({ hub: setting.optional(), worker: setting.optional(), dissectJob: setting.optional() })
    .optional()

const account = z.strictObject({ name: z.string().optional(), annotations: labels.optional() })
const monitor = z
  .strictObject({
    enabled: z.boolean().optional(),
    interval: z.string().optional(),
    labels: labels.optional(),
    authorization: passedOn.optional(),
    tlsConfig: passedOn.optional(),
  })
  .optional()

/** The keys of the Helm chart that are not Tapdeck's own configuration. */
const chartKeys = {
  auth: z
    .strictObject({ mode: z.enum(['', 'none', 'token', 'oidc']).optional() })
    .optional()
    .describe('How callers identify themselves; empty: as tap.auth.enabled says.'),
  existingSecret: z
    .string()
    .optional()
    .describe('A secret whose key values.yaml has more configuration, for the hub alone.'),
  link: z
    .strictObject({
      existingSecret: z.string().optional(),
      caConfigMap: z.string().optional(),
      caSecret: z.string().optional(),
    })
    .optional()
    .describe('The certificate of the port for workers; empty: from an authority that the hub makes.'),
  image: z
    .strictObject({
      repository: z.string().min(1).optional(),
      tag: z.string().optional().describe("Empty: the chart's appVersion."),
      pullPolicy: z.enum(['Always', 'IfNotPresent', 'Never']).optional(),
      pullSecrets: listPassedOn.optional(),
    })
    .optional(),
  imagePullSecrets: listPassedOn.optional(),
  nameOverride: z.string().optional(),
  fullnameOverride: z.string().optional(),
  resources: eachPod(passedOn),
  persistence: z
    .strictObject({
      enabled: z
        .union([z.boolean(), z.literal('auto')])
        .optional()
        .describe('auto: a volume claim where the cluster has a default storage class, else an emptyDir.'),
      storageClass: z.string().optional(),
      size: z.string().optional(),
      existingClaim: z.string().optional(),
    })
    .optional(),
  workerData: z.strictObject({ hostPath: z.string().optional() }).optional(),
  service: z
    .strictObject({
      type: z.enum(['ClusterIP', 'NodePort', 'LoadBalancer']).optional(),
      port: z.int().min(1).max(65_535).optional(),
      annotations: labels.optional(),
    })
    .optional(),
  ingress: z
    .strictObject({
      enabled: z.boolean().optional(),
      className: z.string().optional(),
      host: z.string().optional(),
      annotations: labels.optional(),
      tls: listPassedOn.optional(),
    })
    .optional(),
  httpRoute: z
    .strictObject({
      enabled: z.boolean().optional(),
      parentRefs: listPassedOn.optional(),
      hostnames: z.array(z.string()).optional(),
    })
    .optional(),
  serviceAccounts: each(account),
  bucketCredentials: z
    .strictObject({
      secretName: z.string().optional(),
      accessKeyId: z.string().optional(),
      secretAccessKey: z.string().optional(),
    })
    .optional()
    .describe('A secret with the keys of tap.snapshots.s3.bucket.'),
  clickhousePassword: z
    .strictObject({ secretName: z.string().optional(), secretKey: z.string().optional() })
    .optional()
    .describe('A secret with the password of tap.index.clickhouse.user.'),
  capabilities: z.array(z.string().regex(/^[A-Z_]+$/)).optional(),
  hostPID: z.boolean().optional().describe('Workers see the processes of their node.'),
  networkPolicy: z
    .strictObject({ enabled: z.boolean().optional(), from: listPassedOn.optional() })
    .optional(),
  serviceMonitor: monitor,
  podMonitor: monitor,
  podDisruptionBudget: z.strictObject({ enabled: z.boolean().optional() }).optional(),
  priorityClassName: each(z.string()),
  podAnnotations: each(labels),
  podLabels: each(labels),
  extraVolumes: each(listPassedOn),
  extraVolumeMounts: each(listPassedOn),
  extraEnv: each(listPassedOn),
  extraObjects: z.array(z.union([z.string(), passedOn])).optional(),
  cleanup: z
    .strictObject({ enabled: z.boolean().optional(), nodes: z.int().min(0).optional() })
    .optional()
    .describe('helm uninstall deletes the data of the workers on the nodes too.'),
  openshift: z.strictObject({ enabled: z.boolean().optional() }).optional(),
  nodeSelector: eachPod(labels),
  affinity: each(passedOn),
  tolerations: eachPod(listPassedOn),
  global: passedOn.optional().describe('Set by Helm for charts that include this one.'),
}

const { tap, hub, logLevel } = configSchema.shape
/** The Helm chart's values: the configuration tree, and the keys of the chart beside it. */
export const chartValues = z.strictObject({ tap, hub, logLevel, ...chartKeys })

/** Their JSON schema. */
export function chartValuesSchema(): string {
  const schema = z.toJSONSchema(chartValues, { io: 'input', target: 'draft-7' })
  return `${JSON.stringify(schema, undefined, 2)}\n`
}
