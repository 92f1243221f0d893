/** A way of working that an assistant can be asked for by name. */
export interface Prompt {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly arguments: readonly {
    readonly name: string
    readonly description: string
    readonly required: boolean
  }[]
  write(given: Readonly<Record<string, string>>): string
}

const window = [
  { name: 'start', description: 'From when: RFC 3339 or Unix milliseconds', required: false },
  { name: 'end', description: 'Until when', required: false },
]

const honest =
  'Report times in UTC and in the user’s zone. Quote call ids as evidence. Say what was not captured, lost, encrypted or truncated: look at `loss`, `dropped_packets`, `partial` and `why_empty`.'

/** THE list of prompts. */
export const prompts: readonly Prompt[] = [
  {
    name: 'rewind_incident',
    title: 'Look into a past incident',
    description: 'Takes a snapshot of the time of an incident, dissects it, and finds what failed first.',
    arguments: [
      { name: 'what', description: 'What was seen, in the user’s words', required: true },
      ...window,
    ],
    write: ({ what, start, end }) =>
      steps(`Find the cause of this: ${what}${between(start, end)}.`, [
        'list_databases: is there a dissection of that time? Then go on with step 3 and its `db`. A snapshot of that time without a dissection: start_snapshot_dissection. Both work where nothing is recorded any more.',
        'Else get_data_boundaries: is the time still recorded? Then capture_and_dissect with `start` and `end` and some minutes of margin on both sides: it returns `db` and the probable causes. Note `partial` and `loss`. If there is neither, say so and stop.',
        'find_suspects with db=<snapshot>/<dissection>: the probable causes in order. Read `against` and `explained_by` before you believe the first.',
        'explain_call for the first evidence id of the best suspects: one timeline of the call and what it caused; list_api_calls with the `kfl` of a suspect shows more.',
        'If no suspect fits: get_topology, then get_api_stats by service, status and time, and follow the chain of calls from the complaint down.',
      ]),
  },
  {
    name: 'find_errors',
    title: 'What is failing now',
    description: 'Finds failing calls and groups them by where and why.',
    arguments: [
      { name: 'kfl', description: 'Only traffic that matches this filter', required: false },
      ...window,
    ],
    write: ({ kfl, start, end }) =>
      steps(`Find what fails${matching(kfl)}${between(start, end)}.`, [
        'get_dissection_status: is indexing on? If it is off, say so; turn it on only when the user agrees.',
        'find_suspects: what began to fail, since when, and what explains what. Then get_api_stats by service and by status.',
        'list_api_calls with `error` in the filter (has(error)) for the worst of them; get_api_call for one of each kind.',
      ]),
  },
  {
    name: 'trace_request',
    title: 'Follow one request through the services',
    description: 'Follows a request by its trace or request id, or by time and path.',
    arguments: [
      {
        name: 'id',
        description: 'A call id, a trace id or the value of a request-id header',
        required: true,
      },
    ],
    write: ({ id }) =>
      steps(`Follow the request ${id} through the services.`, [
        'If it is a call id: explain_call names the call that caused it and the calls that it caused; repeat for those. Else search headers: search_fields with `header` shows how they are named in filters.',
        'List the calls that the same workload made between the request’s start and its response.',
        'Draw the tree with times and statuses; mark the slowest and the first failing branch.',
      ]),
  },
  {
    name: 'latency_analysis',
    title: 'Why is it slow',
    description: 'Separates network, connection set-up and server time.',
    arguments: [{ name: 'service', description: 'The service that is slow', required: true }, ...window],
    write: ({ service, start, end }) =>
      steps(`Explain the latency of ${service}${between(start, end)}.`, [
        'get_api_stats by path for calls to it: latency p50, p90, p99 and the handshake percentiles.',
        'get_api_stats of the same with `tcp.retransmissions > 0 or tcp.zero_window > 0` in the filter, and the handshake percentiles of list_l4_flows: many, or long ones, speak for the network; else it is the server. `ttfb` in a call separates waiting from transfer.',
        'Look at what the service itself calls: a slow dependency shows as the same rise one hop further.',
      ]),
  },
  {
    name: 'compare_traffic',
    title: 'What changed between two times',
    description: 'Compares two windows or two dissections.',
    arguments: [
      { name: 'before', description: 'The good window, or a dissection <snapshot>/<name>', required: true },
      { name: 'after', description: 'The bad window, or a dissection', required: true },
    ],
    write: ({ before, after }) =>
      steps(`Say what changed between ${before} and ${after}.`, [
        'diff_api_calls (a_db, b_db, or a_start, a_end, b_start, b_end) by service, then with group_by=path: what is new, gone, bigger, slower, failing more or called more, each with evidence ids. Read its `notes`.',
        'Read one call of each change whole before you call it a cause.',
      ]),
  },
  {
    name: 'debug_connection',
    title: 'Why can they not talk',
    description: 'Looks for refused, reset, unanswered or encrypted connections between two workloads.',
    arguments: [
      { name: 'from', description: 'The client workload', required: true },
      { name: 'to', description: 'The server workload or address', required: true },
    ],
    write: ({ from, to }) =>
      steps(`Find out why ${from} cannot talk to ${to}.`, [
        'list_workloads and list_ips (with the `db` of a past time): which addresses do both have, and had they them at that time?',
        'list_api_calls with proto dns from the client: is the name resolved, to the right address?',
        'list_api_calls between the two with `error` in the filter: a call of proto tcp is refused, reset or was never answered (dropped on the way); list_l4_flows shows whether data went both ways (then look at the calls).',
        'tls calls show alerts and the server’s name; an encrypted connection hides its calls.',
      ]),
  },
  {
    name: 'show_topology',
    title: 'Who talks to whom',
    description: 'Draws the services and what flows between them.',
    arguments: [{ name: 'ns', description: 'Only this namespace', required: false }],
    write: ({ ns }) =>
      steps(`Draw who talks to whom${ns ? ` in namespace ${ns}` : ''}.`, [
        `get_topology${ns ? ` with kfl=dst.ns == ${JSON.stringify(ns)} or src.ns == ${JSON.stringify(ns)}` : ''}: nodes, and edges with rates, errors, latencies and protocols.`,
        'For edges that matter, list_api_calls with the `kfl` of the edge; list_l4_flows shows packets and bytes.',
      ]),
  },
]

function steps(task: string, list: readonly string[]): string {
  return [task, '', ...list.map((step, index) => `${index + 1}. ${step}`), '', honest].join('\n')
}

function between(start?: string, end?: string): string {
  return `${start ? ` from ${start}` : ''}${end ? ` until ${end}` : ''}`
}

function matching(kfl?: string): string {
  return kfl ? ` among calls that match \`${kfl}\`` : ''
}
