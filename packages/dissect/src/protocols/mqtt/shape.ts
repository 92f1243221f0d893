import { textOrBase64 } from '../../content/text-or-base64.ts'
import type { Summary } from '../../contract/call.ts'
import type { Exchange } from '../../contract/dissector.ts'
import type { FieldValue, Message } from '../../contract/message.ts'
import { hasRequest, hasResponse, requestSize, responseSize, totalSize } from '../../shape/exchange-values.ts'
import type { Shape } from '../../shape/shape.ts'
import { readPacket, type ShownPacket } from './packet.ts'

const VERSIONS: Readonly<Record<number, string | undefined>> = { 3: '3.1', 4: '3.1.1', 5: '5.0' }
const NONE: ShownPacket = {}

interface View extends Exchange {
  readonly summary: Summary
  readonly asked: ShownPacket
  readonly answered: ShownPacket
}

function read({ protocol, request, response }: Exchange, summary: Summary): View {
  return {
    protocol,
    request,
    response,
    summary,
    asked: request === undefined ? NONE : readPacket(request),
    answered: response === undefined ? NONE : readPacket(response),
  }
}

function shownContent(message: Message | undefined): Readonly<Record<string, unknown>> {
  const { body, bodySize, truncated } = message ?? {}
  return { ...textOrBase64(body, truncated), body_size: bodySize ?? body?.length, truncated }
}

function versionOf({ request, response }: View): string | undefined {
  const version = request?.fields?.version ?? response?.fields?.version
  return typeof version === 'number' ? (VERSIONS[version] ?? String(version)) : undefined
}

const topicsOf = ({ asked: { topics, topic } }: View) => topics ?? (topic === undefined ? undefined : [topic])
const propertiesOf = ({ asked, answered }: View) => asked.properties ?? answered.properties

function propertyOf(properties: FieldValue | undefined, name: string): unknown {
  return typeof properties === 'object' && properties !== null ? Reflect.get(properties, name) : undefined
}

function payloadSize({ asked, request }: View): number | undefined {
  return asked.packet === 'PUBLISH' ? (request?.bodySize ?? request?.body?.length ?? 0) : undefined
}

export const shape = {
  read,
  request: ({ request, asked, summary: { method, path } }) => ({
    method,
    path,
    ...asked,
    ...shownContent(request),
  }),
  response: ({ response, answered, summary: { status } }) => ({
    status,
    ...answered,
    ...shownContent(response),
  }),
  own: {
    version: {
      from: versionOf,
      type: 'string',
      doc: '3.1, 3.1.1 or 5.0',
      example: 'mqtt_version == "5.0"',
    },
    packet: {
      from: ({ summary }) => summary.method,
      type: 'string',
      doc: 'CONNECT, PUBLISH, SUBSCRIBE …',
      example: 'mqtt_packet == "PUBLISH"',
    },
    topic: {
      from: ({ asked }) => asked.topic,
      type: 'string',
      doc: 'Topic of a message, also where an alias stood for it',
      example: 'mqtt_topic.startsWith("home/")',
    },
    topics: {
      from: topicsOf,
      type: 'list',
      doc: 'Topic of a message, or all filters of a subscription',
      example: '"home/#" in mqtt_topics',
    },
    qos: {
      from: ({ asked }) => asked.qos,
      type: 'integer',
      doc: 'Quality of service of a message: 0, 1 or 2',
      example: 'mqtt_qos == 2',
    },
    retain: {
      from: ({ asked }) => asked.retain,
      type: 'boolean',
      doc: 'The message is to be kept for later subscribers',
      example: 'mqtt_retain',
    },
    dup: {
      from: ({ asked }) => asked.dup,
      type: 'boolean',
      doc: 'The message was sent before',
      example: 'mqtt_dup',
    },
    packet_id: {
      from: ({ asked, answered }) => asked.packet_id ?? answered.packet_id,
      type: 'integer',
      doc: 'Number that ties an acknowledgement to its packet',
      example: 'mqtt_packet_id == 7',
    },
    client_id: {
      from: ({ asked }) => asked.client_id,
      type: 'string',
      doc: 'Client identifier of a CONNECT',
      example: 'mqtt_client_id == "writer"',
    },
    user: {
      from: ({ asked }) => asked.user,
      type: 'string',
      doc: 'User of a CONNECT; passwords are never kept',
      example: 'mqtt_user == "alice"',
    },
    keep_alive: {
      from: ({ asked }) => asked.keep_alive,
      type: 'integer',
      doc: 'Seconds of silence that the client promises not to exceed',
      example: 'mqtt_keep_alive > 60',
    },
    clean_start: ({ asked }) => asked.clean_start,
    session_present: ({ answered }) => answered.session_present,
    will: ({ asked }) => asked.will,
    reason: {
      from: ({ asked, answered }) => answered.reason ?? asked.reason,
      type: 'string',
      doc: 'Outcome by name; of several, the first failure',
      example: 'mqtt_reason == "Not authorized"',
    },
    reason_code: {
      from: ({ asked, answered }) => answered.reason_code ?? asked.reason_code,
      type: 'integer',
      doc: 'Outcome as a number',
      example: 'mqtt_reason_code >= 128',
    },
    reasons: ({ answered }) => answered.reasons,
    properties: {
      from: propertiesOf,
      type: 'map',
      doc: 'Properties (5.0) of the packet, else of its answer',
      example: 'mqtt_properties["topic_alias"] == 3',
    },
    content_type: {
      from: (view) => propertyOf(propertiesOf(view), 'content_type'),
      type: 'string',
      doc: 'Content type of a message (5.0)',
      example: 'mqtt_content_type == "application/json"',
    },
    payload_size: {
      from: payloadSize,
      type: 'integer',
      doc: 'Bytes of the message',
      example: 'mqtt_payload_size > 1000',
    },
    request: {
      from: hasRequest,
      type: 'boolean',
      doc: 'The packet was seen',
      example: 'mqtt_request && !mqtt_response',
    },
    response: {
      from: hasResponse,
      type: 'boolean',
      doc: 'Its acknowledgement was seen',
      example: 'mqtt_response',
    },
    request_length: {
      from: requestSize,
      type: 'integer',
      doc: 'Bytes of the packet',
      example: 'mqtt_request_length > 1000',
    },
    response_length: {
      from: responseSize,
      type: 'integer',
      doc: 'Bytes of the acknowledgement',
      example: 'mqtt_response_length > 10',
    },
    total_size: {
      from: totalSize,
      type: 'integer',
      doc: 'Bytes of both',
      example: 'mqtt_total_size > 1000',
    },
  },
} as const satisfies Shape<View>
