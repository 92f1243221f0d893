import type { CatalogField } from './field.ts'

type Row = readonly [names: string, type: CatalogField['type'], path: string, doc: string, example: string]

/** `SIDE` is src or dst; `FLAT` is local or remote: the client's side of a call is the local one. */
const ROWS: readonly Row[] = [
  ['SIDE.ip', 'ip', 'SIDE.ip', 'Address of the PEER', 'SIDE.ip in 10.0.0.0/8'],
  ['SIDE.port', 'integer', 'SIDE.port', 'Port of the PEER', 'SIDE.port == 443'],
  ['SIDE.pod SIDE.pod.name', 'string', 'SIDE.pod', 'Pod of the PEER', 'SIDE.pod contains "checkout"'],
  [
    'SIDE.svc SIDE.svc.name SIDE.service SIDE.service.name',
    'string',
    'SIDE.svc',
    'Service of the PEER',
    'SIDE.svc == "checkout"',
  ],
  [
    'SIDE.ns SIDE.namespace SIDE.pod.namespace SIDE.service.namespace SIDE.svc.namespace',
    'string',
    'SIDE.ns',
    'Namespace of the PEER',
    'SIDE.ns == "shop"',
  ],
  [
    'SIDE.node SIDE.node.name FLAT_node_name',
    'string',
    'SIDE.node',
    'Node of the PEER',
    'SIDE.node == "node-1"',
  ],
  [
    'SIDE.process FLAT_process_name',
    'string',
    'SIDE.process',
    'Process of the PEER',
    'SIDE.process == "nginx"',
  ],
  [
    'SIDE.dns',
    'string',
    'SIDE.dns',
    'Name that the address of the PEER was resolved from',
    'SIDE.dns endswith ".example.com"',
  ],
  [
    'SIDE.workload SIDE.workload.name',
    'string',
    'SIDE.workload',
    'Deployment, StatefulSet, DaemonSet, Job or CronJob that the pod of the PEER belongs to',
    'SIDE.workload == "checkout"',
  ],
  [
    'SIDE.workload.kind',
    'string',
    'SIDE.workload_kind',
    'Kind of the workload of the PEER',
    'SIDE.workload.kind == "Deployment"',
  ],
  ['SIDE.labels FLAT_labels', 'map', 'SIDE.labels', 'Labels of the PEER', 'SIDE.labels["app"] == "checkout"'],
  [
    'SIDE.annotations FLAT_annotations',
    'map',
    'SIDE.annotations',
    'Annotations of the PEER',
    '"owner" in SIDE.annotations',
  ],
]

const SIDES = [
  ['src', 'local', 'client'],
  ['dst', 'remote', 'server'],
] as const

const LISTS: readonly (readonly [name: string, member: string, doc: string])[] = [
  ['namespaces', 'ns', 'Namespaces of both sides'],
  ['pods', 'pod', 'Pods of both sides'],
  ['services', 'svc', 'Services of both sides'],
  ['dns_resolutions', 'dns', 'Names that the addresses of both sides were resolved from'],
]

export function endpointFields(): readonly CatalogField[] {
  return [...SIDES.flatMap(sideFields), ...LISTS.map(listField)]
}

function sideFields([side, flat, peer]: (typeof SIDES)[number]): readonly CatalogField[] {
  const place = (text: string) =>
    text.replaceAll('SIDE', side).replaceAll('FLAT', flat).replaceAll('PEER', peer)
  return [
    ...ROWS.flatMap(([names, type, path, doc, example]) =>
      place(names)
        .split(' ')
        .map(
          (name): CatalogField => ({
            name,
            type,
            path: place(path),
            doc: place(doc),
            example: place(example),
          }),
        ),
    ),
    {
      name: `${side}.name`,
      type: 'string',
      path: `${side}.pod`,
      fallbacks: [`${side}.svc`, `${side}.dns`, `${side}.process`],
      doc: place('Best name of the PEER: pod, else service, else DNS name, else process'),
      example: place('SIDE.name == "checkout"'),
    },
    {
      name: `${flat}_resolution_status`,
      type: 'string',
      path: side,
      derive: 'resolution',
      doc: place('resolved where the PEER has a pod, service or DNS name; unresolved otherwise'),
      example: `${flat}_resolution_status == "unresolved"`,
    },
  ]
}

function listField([name, member, doc]: (typeof LISTS)[number]): CatalogField {
  const path = `src.${member}`
  return { name, type: 'list', path, members: [path, `dst.${member}`], doc, example: `"checkout" in ${name}` }
}
