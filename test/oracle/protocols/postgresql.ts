import type { Mapping } from '../mapping.ts'
import type { OurMessage, TheirMessage } from '../message.ts'
import { decodedText, findAll, firstText, type Shown, type ShownPacket } from '../pdml.ts'
import { readLayers } from '../read-layers.ts'
import { someOf } from '../values.ts'

/** What a request of ours is, by its last message, and the messages that end its answer. */
const ENDS: Readonly<Record<string, readonly string[]>> = {
  'Startup message': ['Ready for query', 'Error'],
  'Simple query': ['Ready for query'],
  Execute: ['Command completion', 'Error', 'Portal suspended', 'Empty query'],
}

const ofType = (nodes: readonly Shown[], type: string) =>
  nodes.filter((node) => firstText([node], 'pgsql.type') === type)

export const postgresql: Mapping = {
  protocol: 'postgresql',
  dissector: 'pgsql',
  read: conversations,
  takes: ({ is, call }) => {
    const { command, skipped } = Object(call.postgresql)
    return command in COMMANDS && (is !== 'response' || skipped !== true)
  },
  inOrder: true,
  fields: {
    command: {
      on: 'request',
      theirs: (nodes) => COMMAND_OF[firstText(nodes.slice(-1), 'pgsql.type') ?? ''],
      ours: 'postgresql.command',
    },
    statement: {
      on: 'request',
      theirs: (nodes) => {
        const [field] = findAll(nodes, 'pgsql.query')
        return field === undefined ? undefined : decodedText(field).replace(/\0$/, '')
      },
      ours: ({ call }) => {
        const text = Reflect.get(Object(call.postgresql), 'statement')
        return typeof text === 'string' ? text : undefined
      },
    },
    user: { on: 'request', theirs: parameter('user'), ours: setting('user') },
    database: { on: 'request', theirs: parameter('database'), ours: setting('database') },
    size: {
      on: 'request',
      theirs: (nodes) => (ofType(nodes, 'Execute').length > 0 ? undefined : String(size(nodes[0]))),
      ours: ({ call }) => {
        const { command, request_size } = Object(call.postgresql)
        return command === 'Execute' ? undefined : String(request_size)
      },
    },
    tag: {
      on: 'response',
      theirs: (nodes) =>
        someOf(ofType(nodes, 'Command completion').map((node) => firstText([node], 'pgsql.tag') ?? ''))?.join(
          '; ',
        ),
      ours: 'postgresql.tag',
    },
    rows: {
      on: 'response',
      theirs: (nodes) => {
        const rows = ofType(nodes, 'Data row').length
        return ofType(nodes, 'Row description').length > 0 || rows > 0 ? String(rows) : undefined
      },
      ours: 'postgresql.rows',
    },
    columns: {
      on: 'response',
      theirs: (nodes) =>
        someOf(
          findAll(ofType(nodes, 'Row description').slice(0, 1), 'pgsql.col.name').map(({ show }) => show),
        ),
      ours: 'postgresql.columns',
    },
    severity: { on: 'response', theirs: error('pgsql.severity'), ours: 'postgresql.error.severity' },
    sqlstate: { on: 'response', theirs: error('pgsql.code'), ours: 'postgresql.error.code' },
    message: { on: 'response', theirs: error('pgsql.message'), ours: 'postgresql.error.message' },
    transaction: {
      on: 'response',
      theirs: (nodes) =>
        ofType(nodes, 'Authentication request').length > 0
          ? undefined
          : STATES[firstText(ofType(nodes, 'Ready for query'), 'pgsql.status') ?? ''],
      ours: ({ call }) => {
        const { command, transaction } = Object(call.postgresql)
        return command === 'Query' ? transaction : undefined
      },
    },
  },
}

const COMMANDS: Readonly<Record<string, string>> = {
  StartupMessage: 'Startup message',
  Query: 'Simple query',
  Execute: 'Execute',
}
const COMMAND_OF = Object.fromEntries(Object.entries(COMMANDS).map(([ours, theirs]) => [theirs, ours]))
const STATES: Readonly<Record<string, string>> = { '73': 'idle', '84': 'open', '69': 'failed' }

interface Talk {
  asking: Shown[]
  readonly named: Map<string, Shown>
  readonly pending: string[]
  answer: Shown[]
  failed: boolean
}

/** The statement of an Execute was named by the Bind before it; an answer ends with what ends that kind of request. */
function conversations(packets: readonly ShownPacket[]): TheirMessage[] {
  const talks = new Map<string, Talk>()
  const messages: TheirMessage[] = []
  for (const message of readLayers(packets, 'pgsql')) {
    const [node] = message.nodes
    const type = firstText([node], 'pgsql.type') ?? ''
    const talk: Talk = talks.get(message.flow) ?? {
      asking: [],
      named: new Map(),
      pending: [],
      answer: [],
      failed: false,
    }
    talks.set(message.flow, talk)
    if (firstText([node], 'pgsql.frontend') === '1') {
      if (type === 'Sync' || type === 'Close') {
        talk.asking = []
        continue
      }
      if (type === 'Parse') talk.named.set(firstText([node], 'pgsql.statement') ?? '', node)
      if (type === 'Bind') {
        const parsed = talk.named.get(firstText([node], 'pgsql.statement') ?? '')
        if (parsed !== undefined) talk.asking = [parsed]
      }
      if (/Parse|Bind|Describe/.test(type)) continue
      if (!(type in ENDS)) continue
      messages.push({ ...message, nodes: type === 'Execute' ? [...talk.asking, node] : [node] })
      talk.asking = []
      talk.pending.push(type)
      continue
    }
    if (talk.pending.length === 0) continue
    // What was asked after a failure is not answered before the next Sync.
    if (talk.failed && type === 'Ready for query') {
      while (talk.pending[0] === 'Execute') talk.pending.shift()
      talk.failed = false
      continue
    }
    talk.answer.push(node)
    if (!ENDS[talk.pending[0]].includes(type)) continue
    messages.push({ ...message, nodes: talk.answer })
    talk.answer = []
    if (talk.pending.shift() === 'Execute' && type === 'Error') talk.failed = true
  }
  return messages
}

/** With its type, which a startup message has none of. */
function size(node: Shown): number {
  const length = Number(firstText([node], 'pgsql.length'))
  return firstText([node], 'pgsql.type') === 'Startup message' ? length : length + 1
}

function error(name: string) {
  return (nodes: readonly Shown[]) => firstText(ofType(nodes, 'Error'), name)
}

function parameter(name: string) {
  return (nodes: readonly Shown[]) => {
    const startup = ofType(nodes, 'Startup message')
    const names = findAll(startup, 'pgsql.parameter_name').map(({ show }) => show)
    const at = names.indexOf(name)
    return at < 0 ? undefined : findAll(startup, 'pgsql.parameter_value')[at]?.show
  }
}

function setting(name: string) {
  return ({ call }: OurMessage) => {
    const value = Reflect.get(Object(call.request?.settings), name)
    return typeof value === 'string' ? value : undefined
  }
}
