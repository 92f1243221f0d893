import type { Side } from '@tapdeck/wire'

/** What an argument is on the wire. Neighbouring bits share a byte. */
type ArgumentType = 'bit' | 'octet' | 'short' | 'long' | 'longlong' | 'shortstr' | 'longstr' | 'table'

interface Argument {
  readonly name: string
  readonly type: ArgumentType
}

/** A method of AMQP 0-9-1 or of RabbitMQ's extensions to it. */
export interface Method {
  readonly id: number
  /** `queue.declare` */
  readonly name: string
  readonly arguments: readonly Argument[]
  /** It waits for an answer, unless its bit `no_wait` is set. */
  readonly asks: boolean
  /** The method that this one answers. */
  readonly answers?: number
  /** A content header and a body follow. */
  readonly content: boolean
  /** The side that says it, where only one may. */
  readonly from?: Side
}

const SHORT: Readonly<Record<string, ArgumentType>> = {
  b: 'bit',
  o: 'octet',
  s: 'short',
  l: 'long',
  L: 'longlong',
  t: 'shortstr',
  T: 'longstr',
  m: 'table',
}

/**
 * AMQP 0-9-1 §1.4 and RabbitMQ's extensions: id, name, arguments as `type:name`. `?` waits for an answer, `=id`
 * is the answer to that method, `+` carries content, `<` is said by the server, `~` by either side.
 */
const TABLE = `
10.10 connection.start < ? o:version_major o:version_minor m:server_properties T:mechanisms T:locales
10.11 connection.start-ok =10.10 m:client_properties t:mechanism T:response t:locale
10.20 connection.secure < ? T:challenge
10.21 connection.secure-ok =10.20 T:response
10.30 connection.tune < ? s:channel_max l:frame_max s:heartbeat
10.31 connection.tune-ok =10.30 s:channel_max l:frame_max s:heartbeat
10.40 connection.open ? t:virtual_host t:capabilities b:insist
10.41 connection.open-ok < =10.40 t:known_hosts
10.50 connection.close ~ ? s:reply_code t:reply_text s:class_id s:method_id
10.51 connection.close-ok ~ =10.50
10.60 connection.blocked < t:reason
10.61 connection.unblocked <
10.70 connection.update-secret ? T:new_secret t:reason
10.71 connection.update-secret-ok < =10.70
20.10 channel.open ? t:out_of_band
20.11 channel.open-ok < =20.10 T:channel_id
20.20 channel.flow ~ ? b:active
20.21 channel.flow-ok ~ =20.20 b:active
20.40 channel.close ~ ? s:reply_code t:reply_text s:class_id s:method_id
20.41 channel.close-ok ~ =20.40
30.10 access.request ? t:realm b:exclusive b:passive b:active b:write b:read
30.11 access.request-ok < =30.10 s:ticket
40.10 exchange.declare ? s:ticket t:exchange t:type b:passive b:durable b:auto_delete b:internal b:no_wait m:arguments
40.11 exchange.declare-ok < =40.10
40.20 exchange.delete ? s:ticket t:exchange b:if_unused b:no_wait
40.21 exchange.delete-ok < =40.20
40.30 exchange.bind ? s:ticket t:destination t:source t:routing_key b:no_wait m:arguments
40.31 exchange.bind-ok < =40.30
40.40 exchange.unbind ? s:ticket t:destination t:source t:routing_key b:no_wait m:arguments
40.51 exchange.unbind-ok < =40.40
50.10 queue.declare ? s:ticket t:queue b:passive b:durable b:exclusive b:auto_delete b:no_wait m:arguments
50.11 queue.declare-ok < =50.10 t:queue l:message_count l:consumer_count
50.20 queue.bind ? s:ticket t:queue t:exchange t:routing_key b:no_wait m:arguments
50.21 queue.bind-ok < =50.20
50.30 queue.purge ? s:ticket t:queue b:no_wait
50.31 queue.purge-ok < =50.30 l:message_count
50.40 queue.delete ? s:ticket t:queue b:if_unused b:if_empty b:no_wait
50.41 queue.delete-ok < =50.40 l:message_count
50.50 queue.unbind ? s:ticket t:queue t:exchange t:routing_key m:arguments
50.51 queue.unbind-ok < =50.50
60.10 basic.qos ? l:prefetch_size s:prefetch_count b:global
60.11 basic.qos-ok < =60.10
60.20 basic.consume ? s:ticket t:queue t:consumer_tag b:no_local b:no_ack b:exclusive b:no_wait m:arguments
60.21 basic.consume-ok < =60.20 t:consumer_tag
60.30 basic.cancel ~ ? t:consumer_tag b:no_wait
60.31 basic.cancel-ok ~ =60.30 t:consumer_tag
60.40 basic.publish + s:ticket t:exchange t:routing_key b:mandatory b:immediate
60.50 basic.return < + s:reply_code t:reply_text t:exchange t:routing_key
60.60 basic.deliver < + t:consumer_tag L:delivery_tag b:redelivered t:exchange t:routing_key
60.70 basic.get ? s:ticket t:queue b:no_ack
60.71 basic.get-ok < =60.70 + L:delivery_tag b:redelivered t:exchange t:routing_key l:message_count
60.72 basic.get-empty < =60.70 t:cluster_id
60.80 basic.ack ~ L:delivery_tag b:multiple
60.90 basic.reject L:delivery_tag b:requeue
60.100 basic.recover-async b:requeue
60.110 basic.recover ? b:requeue
60.111 basic.recover-ok < =60.110
60.120 basic.nack ~ L:delivery_tag b:multiple b:requeue
85.10 confirm.select ? b:no_wait
85.11 confirm.select-ok < =85.10
90.10 tx.select ?
90.11 tx.select-ok < =90.10
90.20 tx.commit ?
90.21 tx.commit-ok < =90.20
90.30 tx.rollback ?
90.31 tx.rollback-ok < =90.30
`

/** Class and method in one number. */
export function methodId(classId: number, method: number): number {
  return (classId << 16) | method
}

function readId(text: string): number {
  const [classId = 0, method = 0] = text.split('.').map(Number)
  return methodId(classId, method)
}

function readMethod(line: string): Method {
  const [id, name, ...rest] = line.split(' ')
  const answered = rest.find((word) => word.startsWith('='))
  return {
    id: readId(id),
    name,
    arguments: rest
      .filter((word) => word[1] === ':')
      .map((word) => ({ name: word.slice(2), type: SHORT[word[0]] ?? 'octet' })),
    asks: rest.includes('?'),
    ...(answered === undefined ? {} : { answers: readId(answered.slice(1)) }),
    content: rest.includes('+'),
    ...(rest.includes('~') ? {} : { from: rest.includes('<') ? 1 : 0 }),
  }
}

const methods = new Map(
  TABLE.trim()
    .split('\n')
    .map(readMethod)
    .map((method) => [method.id, method]),
)

export function methodOf(id: number): Method | undefined {
  return methods.get(id)
}

export const METHOD = {
  START_OK: methodId(10, 11),
  SECURE: methodId(10, 20),
  SECURE_OK: methodId(10, 21),
  CONNECTION_OPEN: methodId(10, 40),
  CONNECTION_CLOSE: methodId(10, 50),
  BLOCKED: methodId(10, 60),
  UPDATE_SECRET: methodId(10, 70),
  CHANNEL_CLOSE: methodId(20, 40),
  CANCEL: methodId(60, 30),
  PUBLISH: methodId(60, 40),
  RETURN: methodId(60, 50),
  DELIVER: methodId(60, 60),
  GET_OK: methodId(60, 71),
  NACK: methodId(60, 120),
} as const
