import type { Mapping } from '../mapping.ts'
import { firstText, type Shown } from '../pdml.ts'
import { readLayers } from '../read-layers.ts'
import { own } from '../values.ts'

/** AMQP 1.0 §2.7 and §5.3.3: what a frame says, by its descriptor. */
const PERFORMATIVES: Readonly<Record<string, string>> = {
  '16': 'open',
  '17': 'begin',
  '18': 'attach',
  '19': 'flow',
  '20': 'transfer',
  '21': 'disposition',
  '22': 'detach',
  '23': 'end',
  '24': 'close',
  '64': 'sasl-mechanisms',
  '65': 'sasl-init',
  '66': 'sasl-challenge',
  '67': 'sasl-response',
  '68': 'sasl-outcome',
}

/** AMQP 1.0, frame by frame, without the headers that open it. */
export const modernAmqp: Mapping = {
  protocol: 'amqp',
  dissector: 'amqp',
  read: (packets) =>
    readLayers(packets, 'amqp', {
      keep: (layer) => performative([layer]) !== undefined,
      key: (layer) => performative([layer]),
    }),
  takes: (message) =>
    /^1\.0/.test(String(own(message, 'version'))) && message.call.method !== 'protocol-header',
  key: (message) => String(message.is === 'response' ? own(message, 'answer') : message.call.method),
  fields: {
    performative: { on: 'request', theirs: performative, ours: 'method' },
    channel: { on: 'request', theirs: 'amqp.channel', ours: 'amqp.channel' },
    length: { on: 'request', theirs: 'amqp.length', ours: 'amqp.request_length' },
    container: {
      on: 'request',
      theirs: 'amqp.performative.arguments.containerId',
      ours: 'request.arguments.container_id',
    },
    hostname: {
      on: 'request',
      theirs: 'amqp.performative.arguments.hostname',
      ours: 'request.arguments.hostname',
    },
    mechanism: { on: 'request', theirs: 'amqp.sasl.mechanism', ours: 'request.arguments.mechanism' },
    answer: { on: 'response', theirs: performative, ours: 'amqp.answer' },
    response_length: { on: 'response', theirs: 'amqp.length', ours: 'amqp.response_length' },
  },
}

function performative(nodes: readonly Shown[]): string | undefined {
  return PERFORMATIVES[firstText(nodes, 'amqp.performative') ?? firstText(nodes, 'amqp.sasl.method') ?? '']
}
