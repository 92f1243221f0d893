import { join } from 'node:path'
import { podsOf } from './pods-of.ts'
import { apply, helm, kubectl, namespace, nodes, root } from './test-cluster.ts'

/**
 * Installs the chart with its defaults, and the pods that tests talk to: a client and a web server on every node. The
 * cluster is removed as a whole afterwards.
 */
export default async function installChart(): Promise<void> {
  const chart = join(root, 'deploy', 'helm', 'tapdeck')
  const never = 'tap.capture.dissection.stopAfter=0'
  await helm(
    'upgrade',
    '--install',
    'tapdeck',
    chart,
    '-n',
    namespace,
    '--create-namespace',
    '--set',
    never,
    '--wait',
    '--timeout',
    '5m',
  )
  const image = 'localhost/busybox:1.38'
  const command = ['/bin/sh', '-c', 'echo ok > /www/index.html; exec httpd -f -p 8080 -h /www']
  const container = { name: 'web', image, command, ports: [{ name: 'http', containerPort: 8080 }] }
  const labels = { app: 'web' }
  const selector = { matchLabels: labels }
  const onePerNode = {
    ...{ maxSkew: 1, topologyKey: 'kubernetes.io/hostname', whenUnsatisfiable: 'DoNotSchedule' },
    ...{ labelSelector: selector, matchLabelKeys: ['pod-template-hash'] },
  }
  const template = {
    metadata: { labels },
    spec: {
      terminationGracePeriodSeconds: 1,
      topologySpreadConstraints: [onePerNode],
      containers: [container],
    },
  }
  const service = (name: string, spec: object) => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name },
    spec: { selector: labels, ports: [{ name: 'http', port: 80, targetPort: 'http' }], ...spec },
  })
  await apply(
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web' },
      spec: { replicas: nodes.length, selector, template },
    },
    service('web', {
      type: 'NodePort',
      ports: [{ name: 'http', port: 80, targetPort: 'http', nodePort: 30_080 }],
    }),
    service('web-direct', { clusterIP: 'None', ports: [{ name: 'http', port: 8080, targetPort: 'http' }] }),
    {
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata: { name: 'host-web' },
      spec: {
        selector: { matchLabels: { app: 'host-web' } },
        template: {
          metadata: { labels: { app: 'host-web' } },
          spec: {
            hostNetwork: true,
            terminationGracePeriodSeconds: 1,
            containers: [
              {
                ...container,
                command: [...command.slice(0, 2), command[2]!.replace('8080', '8090')],
                ports: [{ containerPort: 8090 }],
              },
            ],
          },
        },
      },
    },
    {
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata: { name: 'client' },
      spec: {
        selector: { matchLabels: { app: 'client' } },
        template: {
          metadata: { labels: { app: 'client' } },
          spec: {
            terminationGracePeriodSeconds: 1,
            containers: [{ name: 'client', image, command: ['/bin/sleep', 'infinity'] }],
          },
        },
      },
    },
  )
  for (const workload of ['deployment/web', 'daemonset/client', 'daemonset/host-web'])
    await kubectl('rollout', 'status', workload, '--timeout=180s')
  // The cluster DNS and the proxy of each node learn of a Service later.
  const known = 'until wget -T 2 -qO- http://web/ >/dev/null 2>&1; do sleep 1; done'
  const clients = await podsOf('client')
  await Promise.all(
    clients.map(({ name }) => kubectl('exec', name, '--', 'timeout', '180', 'sh', '-c', known)),
  )
}
