import { z } from 'zod'

/** How the hub watches a cluster: `tap.kubernetes`. */
export const kubernetes = z.strictObject({
  enabled: z
    .boolean()
    .default(false)
    .describe(
      'The hub watches a cluster for names and events. The chart turns this on; it needs the rights list and watch.',
    ),
  kubeconfig: z
    .string()
    .default('')
    .describe('A kubeconfig file for the cluster; empty: the cluster that the hub runs in.'),
  context: z.string().default('').describe('A context of that file; empty: its current one.'),
  workerNodes: z
    .record(z.string(), z.string())
    .default({})
    .describe(
      'Labels of the nodes that workers run on; empty: all nodes of the cluster. A node that has them and no worker is listed as missing. The chart sets this to `nodeSelector.worker`.',
    ),
  workerDaemonSet: z
    .union([z.literal(''), z.string().regex(/^[a-z0-9.-]+\/[a-z0-9.-]+$/)])
    .meta({ accepts: 'a namespace and a name, such as tapdeck/tapdeck-worker' })
    .default('')
    .describe(
      'The DaemonSet of the workers: why a node has no worker is read from its pods and events. The chart sets this; empty: not known.',
    ),
})
