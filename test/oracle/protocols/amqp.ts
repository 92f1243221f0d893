import type { Mapping } from '../mapping.ts'
import type { OurMessage, TheirMessage } from '../message.ts'
import { findAll, firstText, type Shown, type ShownPacket } from '../pdml.ts'
import { readLayers } from '../read-layers.ts'
import { filled } from '../values.ts'

/** AMQP 0-9-1. Header and body frames belong to the method before them on their channel. */
export const amqp: Mapping = {
  protocol: 'amqp',
  dissector: 'amqp',
  read: conversations,
  takes: ({ call }) =>
    Reflect.get(Object(call.amqp), 'version') === '0-9-1' && call.method !== 'protocol-header',
  key: ({ call }) => String(Reflect.get(Object(call.amqp), 'channel')),
  fields: {
    method: { on: 'request', theirs: (nodes) => method(nodes), ours: 'method' },
    exchange: { on: 'request', theirs: filled('amqp.method.arguments.exchange'), ours: argument('exchange') },
    routing_key: {
      on: 'request',
      theirs: filled('amqp.method.arguments.routing_key'),
      ours: argument('routing_key'),
    },
    queue: { on: 'request', theirs: filled('amqp.method.arguments.queue'), ours: argument('queue') },
    virtual_host: {
      on: 'request',
      theirs: filled('amqp.method.arguments.virtual_host'),
      ours: 'request.arguments.virtual_host',
    },
    delivery_tag: {
      on: 'request',
      theirs: 'amqp.method.arguments.delivery_tag',
      ours: 'request.arguments.delivery_tag',
    },
    reply_code: {
      on: 'request',
      theirs: 'amqp.method.arguments.reply_code',
      ours: 'request.arguments.reply_code',
    },
    reply_text: {
      on: 'request',
      theirs: 'amqp.method.arguments.reply_text',
      ours: 'request.arguments.reply_text',
    },
    content_type: {
      on: 'request',
      theirs: 'amqp.method.properties.content_type',
      ours: 'request.properties.content_type',
    },
    body_size: { on: 'request', theirs: bodySize, ours: 'request.body_size' },
    answer: { on: 'response', theirs: (nodes) => method(nodes), ours: 'response.answer' },
    message_count: {
      on: 'response',
      theirs: 'amqp.method.arguments.message_count',
      ours: 'response.arguments.message_count',
    },
  },
}

/** AMQP 0-9-1 §1.2: names of classes and methods. */
const METHODS: Readonly<Record<string, readonly [string, Readonly<Record<string, string>>]>> = {
  '10': [
    'connection',
    {
      '10': 'start',
      '11': 'start-ok',
      '20': 'secure',
      '21': 'secure-ok',
      '30': 'tune',
      '31': 'tune-ok',
      '40': 'open',
      '41': 'open-ok',
      '50': 'close',
      '51': 'close-ok',
    },
  ],
  '20': [
    'channel',
    { '10': 'open', '11': 'open-ok', '20': 'flow', '21': 'flow-ok', '40': 'close', '41': 'close-ok' },
  ],
  '40': [
    'exchange',
    { '10': 'declare', '11': 'declare-ok', '20': 'delete', '21': 'delete-ok', '30': 'bind', '31': 'bind-ok' },
  ],
  '50': [
    'queue',
    {
      '10': 'declare',
      '11': 'declare-ok',
      '20': 'bind',
      '21': 'bind-ok',
      '30': 'purge',
      '31': 'purge-ok',
      '40': 'delete',
      '41': 'delete-ok',
      '50': 'unbind',
      '51': 'unbind-ok',
    },
  ],
  '60': [
    'basic',
    {
      '10': 'qos',
      '11': 'qos-ok',
      '20': 'consume',
      '21': 'consume-ok',
      '30': 'cancel',
      '31': 'cancel-ok',
      '40': 'publish',
      '50': 'return',
      '60': 'deliver',
      '70': 'get',
      '71': 'get-ok',
      '72': 'get-empty',
      '80': 'ack',
      '90': 'reject',
      '100': 'recover-async',
      '110': 'recover',
      '111': 'recover-ok',
      '120': 'nack',
    },
  ],
  '85': ['confirm', { '10': 'select', '11': 'select-ok' }],
  '90': [
    'tx',
    {
      '10': 'select',
      '11': 'select-ok',
      '20': 'commit',
      '21': 'commit-ok',
      '30': 'rollback',
      '31': 'rollback-ok',
    },
  ],
}

function method(nodes: readonly Shown[]): string | undefined {
  const [name, methods] = METHODS[firstText(nodes, 'amqp.method.class') ?? ''] ?? []
  return name === undefined ? undefined : `${name}.${methods?.[firstText(nodes, 'amqp.method.method') ?? '']}`
}

function conversations(packets: readonly ShownPacket[]): TheirMessage[] {
  const messages: TheirMessage[] = []
  const content = new Map<string, number>()
  const frames = readLayers(packets, 'amqp', {
    keep: (layer) =>
      findAll([layer], 'amqp.doff').length === 0 &&
      ['1', '2', '3'].includes(firstText([layer], 'amqp.type') ?? ''),
    key: (layer) => firstText([layer], 'amqp.channel'),
  })
  for (const message of frames) {
    const place = `${message.flow}|${message.from}|${message.key}`
    const at = content.get(place)
    if (firstText(message.nodes, 'amqp.type') === '1') content.set(place, messages.push(message) - 1)
    else if (at !== undefined)
      messages[at] = { ...messages[at], time: message.time, nodes: [...messages[at].nodes, ...message.nodes] }
  }
  return messages
}

function bodySize(nodes: readonly Shown[]): string | undefined {
  const size = findAll(nodes, 'amqp.header.body-size')[0]?.show
  return size === undefined || size === '0' ? undefined : size
}

function argument(name: string) {
  return ({ call: { request } }: OurMessage) => {
    const value = Reflect.get(Object(request?.arguments), name)
    return typeof value === 'string' && value !== '' ? value : undefined
  }
}
