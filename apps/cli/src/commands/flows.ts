import { formatBytes } from '@tapdeck/units'
import { choice, text, whole } from '../arguments/option.ts'
import { command, exitStatus } from '../command.ts'
import { hubOptions, openHub, wantsTable } from '../hub/hub-options.ts'
import { windowOf, windowOptions } from '../hub/window-options.ts'
import { showJson } from '../output/show.ts'
import { formatTable } from '../output/table.ts'

export const flows = command({
  name: 'flows',
  summary: 'Shows who talks to whom at L4, live or of one dissection.',
  operations: ['list_l4_flows'],
  options: {
    db: text('SNAPSHOT/NAME', 'A dissection. Default: live flows.'),
    aggregate: choice(['pod', 'service', 'namespace', 'node'], 'One row for each pair of these.'),
    l4proto: text('NAME', 'Only tcp, udp, …'),
    ip: text('ADDRESS', 'Only flows of this address.'),
    ns: text('NAME', 'Only flows of this namespace.'),
    pod: text('NAME', 'Only flows of this pod.'),
    svc: text('NAME', 'Only flows of this service.'),
    ...windowOptions,
    limit: whole('N', 'Maximum number of flows. Default: 100.', 1, 10_000),
    order: choice(['bytes', 'packets', 'newest'], 'Which come first. Default: bytes.'),
    ...hubOptions,
  },
  async run(input) {
    const { options, terminal } = input
    const { db, aggregate, l4proto, ip, ns, pod, svc, limit, order } = options
    const query = { db, aggregate, l4proto, ip, ns, pod, svc, limit, order, ...windowOf(options) }
    const answer = await openHub(input).call('list_l4_flows', query)
    if (!wantsTable(options, terminal)) await showJson(terminal, answer)
    else
      await terminal.out(
        formatTable(
          [
            { title: 'PROTO', cell: (flow) => flow.proto },
            { title: 'CLIENT', cell: ({ client }) => peerText(client), shrinks: true },
            { title: 'SERVER', cell: ({ server }) => peerText(server), shrinks: true },
            { title: 'PACKETS', cell: (flow) => flow.totals.pkts, align: 'right' },
            { title: 'BYTES', cell: (flow) => formatBytes(flow.totals.bytes), align: 'right' },
            {
              title: 'HANDSHAKE P50/P99 us',
              cell: ({ server_stats: { tcp_handshake_p50_us: p50, tcp_handshake_p99_us: p99 } }) =>
                p50 === undefined ? undefined : `${p50}/${p99}`,
              align: 'right',
              isOptional: true,
            },
          ],
          answer.flows,
          terminal,
        ),
      )
    return exitStatus.done
  },
})

interface Peer {
  readonly ip?: string | undefined
  readonly port?: number | undefined
  readonly pod?: string | undefined
  readonly svc?: string | undefined
  readonly ns?: string | undefined
  readonly node?: string | undefined
}

function peerText({ svc, pod, ip, ns, node, port }: Peer): string {
  const name = pod ?? svc ?? ip ?? ns ?? node ?? '-'
  return port === undefined ? name : `${name}:${port}`
}
