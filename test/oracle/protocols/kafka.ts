import type { Mapping } from '../mapping.ts'
import { findAll } from '../pdml.ts'
import { readLayers } from '../read-layers.ts'
import { someOf } from '../values.ts'

export const kafka: Mapping = {
  protocol: 'kafka',
  dissector: 'kafka',
  read: (packets) => readLayers(packets, 'kafka', { asked: 'kafka.request_frame' }),
  fields: {
    api_key: { on: 'request', theirs: 'kafka.api_key', ours: 'kafka.api_key' },
    api_version: { on: 'request', theirs: 'kafka.api_version', ours: 'kafka.api_version' },
    correlation_id: { on: 'request', theirs: 'kafka.correlation_id', ours: 'kafka.correlation_id' },
    client_id: { on: 'request', theirs: 'kafka.client_id', ours: 'kafka.client_id' },
    length: {
      on: 'request',
      theirs: (nodes) => String(Number(findAll(nodes, 'kafka.len')[0]?.show) + 4),
      ours: 'kafka.request_size',
    },
    topics: {
      on: 'request',
      theirs: (nodes) => someOf([...new Set(findAll(nodes, 'kafka.topic_name').map(({ show }) => show))]),
      ours: 'kafka.topics',
    },
    acks: { on: 'request', theirs: 'kafka.required_acks', ours: 'kafka.acks' },
    group: { on: 'request', theirs: 'kafka.consumer_group', ours: 'kafka.group_id' },
    response_correlation_id: { on: 'response', theirs: 'kafka.correlation_id', ours: 'kafka.correlation_id' },
    response_key: { on: 'response', theirs: 'kafka.api_key', ours: 'kafka.api_key' },
    response_length: {
      on: 'response',
      theirs: (nodes) => String(Number(findAll(nodes, 'kafka.len')[0]?.show) + 4),
      ours: 'kafka.response_size',
    },
    error: {
      on: 'response',
      theirs: (nodes) => {
        const errors = findAll(nodes, 'kafka.error').map(({ show }) => show)
        return errors.find((code) => code !== '0') ?? errors[0]
      },
      ours: 'status',
    },
  },
}
