import type { Mapping } from '../mapping.ts'
import type { TheirMessage } from '../message.ts'
import { decodedText, findAll, firstText, type Shown, type ShownPacket } from '../pdml.ts'
import { readLayers } from '../read-layers.ts'
import { filled, someOf } from '../values.ts'

/** These have no response. */
const UNANSWERED = new Set(['COM_QUIT', 'COM_STMT_CLOSE', 'COM_STMT_SEND_LONG_DATA'])
const COMMANDS: Readonly<Record<string, string>> = {
  '1': 'COM_QUIT',
  '2': 'COM_INIT_DB',
  '3': 'COM_QUERY',
  '4': 'COM_FIELD_LIST',
  '9': 'COM_STATISTICS',
  '10': 'COM_PROCESS_INFO',
  '13': 'COM_DEBUG',
  '14': 'COM_PING',
  '17': 'COM_CHANGE_USER',
  '18': 'COM_BINLOG_DUMP',
  '21': 'COM_REGISTER_SLAVE',
  '22': 'COM_STMT_PREPARE',
  '23': 'COM_STMT_EXECUTE',
  '24': 'COM_STMT_SEND_LONG_DATA',
  '25': 'COM_STMT_CLOSE',
  '26': 'COM_STMT_RESET',
  '27': 'COM_SET_OPTION',
  '28': 'COM_STMT_FETCH',
  '31': 'COM_RESET_CONNECTION',
}

export const mysql: Mapping = {
  protocol: 'mysql',
  dissector: 'mysql',
  read: conversations,
  takes: ({ call }) =>
    Reflect.get(Object(call.mysql), 'command') !== 'SSLRequest' && call.method !== undefined,
  fields: {
    command: {
      on: 'request',
      theirs: (nodes) =>
        findAll(nodes, 'mysql.login_request').length > 0
          ? 'HandshakeResponse'
          : COMMANDS[firstText(nodes, 'mysql.command') ?? ''],
      ours: 'mysql.command',
    },
    statement: {
      on: 'request',
      theirs: (nodes) => {
        const [field] = findAll(nodes, 'mysql.query')
        return field === undefined ? undefined : decodedText(field)
      },
      ours: ({ call }) => {
        const { command, statement } = Object(call.mysql)
        return command === 'COM_QUERY' || command === 'COM_STMT_PREPARE' ? statement : undefined
      },
    },
    user: {
      on: 'request',
      theirs: (nodes) => firstText(findAll(nodes, 'mysql.login_request'), 'mysql.user'),
      ours: ofLogin('user'),
    },
    database: {
      on: 'request',
      theirs: (nodes) => filled('mysql.schema')(findAll(nodes, 'mysql.login_request')),
      ours: ofLogin('database'),
    },
    statement_id: {
      on: 'request',
      theirs: 'mysql.stmt_id',
      ours: ({ call }) => {
        const { command, statement_id } = Object(call.mysql)
        return command === 'COM_STMT_PREPARE' || statement_id === undefined ? undefined : String(statement_id)
      },
    },
    size: { on: 'request', theirs: size, ours: 'mysql.request_size' },
    response_size: { on: 'response', theirs: size, ours: 'mysql.response_size' },
    error_code: { on: 'response', theirs: 'mysql.error_code', ours: 'mysql.error.code' },
    sqlstate: { on: 'response', theirs: 'mysql.sqlstate', ours: 'mysql.error.state' },
    message: { on: 'response', theirs: 'mysql.error.message', ours: 'mysql.error.message' },
    affected_rows: { on: 'response', theirs: ofOk('mysql.affected_rows'), ours: 'mysql.affected_rows' },
    insert_id: { on: 'response', theirs: ofOk('mysql.insert_id'), ours: 'mysql.last_insert_id' },
    columns: {
      on: 'response',
      theirs: columns,
      ours: 'mysql.columns',
    },
  },
}

/** All that a server says between two commands is one answer. Its greeting answers no command. */
function conversations(packets: readonly ShownPacket[]): TheirMessage[] {
  const messages: TheirMessage[] = []
  const answering = new Map<string, { readonly client: string; readonly at: number | undefined }>()
  for (const message of readLayers(packets, 'mysql')) {
    const [node] = message.nodes
    const command = COMMANDS[firstText([node], 'mysql.command') ?? '']
    const login = findAll([node], 'mysql.login_request').length > 0
    const talk = answering.get(message.flow)
    if (command !== undefined || login) {
      messages.push(message)
      const silent = command !== undefined && UNANSWERED.has(command)
      answering.set(message.flow, { client: message.from, at: silent ? -1 : undefined })
      continue
    }
    if (talk === undefined || talk.client === message.from || talk.at === -1) continue
    if (talk.at === undefined) answering.set(message.flow, { ...talk, at: messages.push(message) - 1 })
    else
      messages[talk.at] = {
        ...messages[talk.at],
        time: message.time,
        nodes: [...messages[talk.at].nodes, node],
      }
  }
  return messages
}

/** An OK that ends a result says nothing of its own. */
function ofOk(name: string) {
  return (nodes: readonly Shown[]) =>
    firstText(nodes.slice(0, 1), 'mysql.response_code') === '0x00'
      ? firstText(nodes.slice(0, 1), name)
      : undefined
}

/** Of the first result. */
function columns(nodes: readonly Shown[]): readonly string[] | undefined {
  const count = Number(firstText(nodes.slice(0, 1), 'mysql.num_fields') ?? 0)
  return someOf(
    findAll(nodes, 'mysql.field.name')
      .map(({ show }) => show)
      .slice(0, count),
  )
}

function size(nodes: readonly Shown[]): string {
  return String(
    nodes.reduce((sum, node) => sum + Number(firstText([node], 'mysql.packet_length') ?? 0) + 4, 0),
  )
}

function ofLogin(field: string) {
  return ({ call }: { readonly call: Readonly<Record<string, unknown>> }) => {
    const own = Object(call.mysql)
    return own.command === 'HandshakeResponse' ? own[field] : undefined
  }
}
