import { z } from 'zod'
import { instant } from '../instant.ts'
import { duration } from '../notation.ts'
import { operation } from '../operation.ts'

const DAY_MS = 86_400_000
/** RFC 1123 labels and subdomains, as Kubernetes names namespaces, pods and nodes. */
const namespace = z.string().regex(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/, 'expected a name of a namespace')
const objectName = (what: string) =>
  z
    .string()
    .max(253)
    .regex(/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/, `expected a name of a ${what}`)

/** Recorders inside of single pods, where workers on the nodes are not allowed. */
export const recorders = {
  admit_recorder: operation({
    title: 'Admit a recorder of a pod',
    description:
      'Returns what a recorder inside of a pod needs to join this hub: where its port for workers is, what to trust there, and a credential that is valid for this pod only and ends. Nothing is stored. Needs hub.link.port. A user who can enter the container of the recorder can read its credential, the names of the cluster, and the key of the hashes of credentials.',
    method: 'POST',
    path: '/recorders',
    interfaces: ['api'],
    capability: 'access:manage',
    changes: true,
    additive: true,
    status: 201,
    scope: 'refused',
    input: z
      .object({
        namespace: namespace.describe('Namespace of the pod'),
        pod: objectName('pod').describe('Name of the pod'),
        node: objectName('node')
          .optional()
          .describe('The node that the pod runs on; refused if a worker records that node already'),
        expires: duration
          .pipe(z.number().min(1000, 'at least 1s').max(DAY_MS, 'at most 1d'))
          .default(600_000)
          .describe('How long the credential is valid, and its connection at most. Default: 10m'),
      })
      .strict(),
    output: z.object({
      name: z.string().describe('The recorder in lists of nodes: pod:NAMESPACE:NAME'),
      url: z.string().describe('Address of the port for workers, inside of the cluster'),
      ca: z
        .string()
        .nullable()
        .describe('Certificates to trust there, in PEM; null: another authority signs them'),
      credential: z.string().describe('Shown only now'),
      values: z
        .record(z.string(), z.unknown())
        .describe(
          'Configuration that workers of this hub share: redaction, and how much of bodies is stored',
        ),
      expires_at: instant,
    }),
  }),
} as const
