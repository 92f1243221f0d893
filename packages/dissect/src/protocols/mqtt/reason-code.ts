/** MQTT 5.0 §2.4. */
const REASONS: Readonly<Record<number, string | undefined>> = {
  0: 'Success',
  1: 'Granted QoS 1',
  2: 'Granted QoS 2',
  4: 'Disconnect with Will Message',
  16: 'No matching subscribers',
  17: 'No subscription existed',
  24: 'Continue authentication',
  25: 'Re-authenticate',
  128: 'Unspecified error',
  129: 'Malformed Packet',
  130: 'Protocol Error',
  131: 'Implementation specific error',
  132: 'Unsupported Protocol Version',
  133: 'Client Identifier not valid',
  134: 'Bad User Name or Password',
  135: 'Not authorized',
  136: 'Server unavailable',
  137: 'Server busy',
  138: 'Banned',
  139: 'Server shutting down',
  140: 'Bad authentication method',
  141: 'Keep Alive timeout',
  142: 'Session taken over',
  143: 'Topic Filter invalid',
  144: 'Topic Name invalid',
  145: 'Packet Identifier in use',
  146: 'Packet Identifier not found',
  147: 'Receive Maximum exceeded',
  148: 'Topic Alias invalid',
  149: 'Packet too large',
  150: 'Message rate too high',
  151: 'Quota exceeded',
  152: 'Administrative action',
  153: 'Payload format invalid',
  154: 'Retain not supported',
  155: 'QoS not supported',
  156: 'Use another server',
  157: 'Server moved',
  158: 'Shared Subscriptions not supported',
  159: 'Connection rate exceeded',
  160: 'Maximum connect time',
  161: 'Subscription Identifiers not supported',
  162: 'Wildcard Subscriptions not supported',
}

/** MQTT 3.1.1 §3.2.2.3. */
const RETURNS: readonly string[] = [
  'Connection Accepted',
  'Unacceptable protocol version',
  'Identifier rejected',
  'Server unavailable',
  'Bad user name or password',
  'Not authorized',
]

export function reasonName(code: number): string | number {
  return REASONS[code] ?? code
}

export function returnName(code: number): string | number {
  return RETURNS[code] ?? code
}

/** MQTT 3.1.1 §3.9.3 and 5.0 §3.9.3: what was granted to each subscription. */
export function grantName(code: number, version: number): string | number {
  if (code === 0) return 'Granted QoS 0'
  return code === 128 && version < 5 ? 'Failure' : reasonName(code)
}
