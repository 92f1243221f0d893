import { base64, utf8 } from '../../text/text.ts'

export type Kind =
  | 'text'
  | 'integer'
  | 'ip'
  | 'ip6'
  | 'prefix'
  | 'time'
  | 'bytes'
  | 'secret'
  | 'tagged'
  | 'tagged-integer'

/** Names and kinds of the attributes that are in use: RFC 2865, 2866, 2868, 2869, 3162, 5176 and their like. */
const ATTRIBUTES: Readonly<Record<number, readonly [string, Kind]>> = {
  1: ['User-Name', 'text'],
  2: ['User-Password', 'secret'],
  3: ['CHAP-Password', 'secret'],
  4: ['NAS-IP-Address', 'ip'],
  5: ['NAS-Port', 'integer'],
  6: ['Service-Type', 'integer'],
  7: ['Framed-Protocol', 'integer'],
  8: ['Framed-IP-Address', 'ip'],
  9: ['Framed-IP-Netmask', 'ip'],
  10: ['Framed-Routing', 'integer'],
  11: ['Filter-Id', 'text'],
  12: ['Framed-MTU', 'integer'],
  13: ['Framed-Compression', 'integer'],
  14: ['Login-IP-Host', 'ip'],
  15: ['Login-Service', 'integer'],
  16: ['Login-TCP-Port', 'integer'],
  18: ['Reply-Message', 'text'],
  19: ['Callback-Number', 'text'],
  20: ['Callback-Id', 'text'],
  22: ['Framed-Route', 'text'],
  24: ['State', 'bytes'],
  25: ['Class', 'bytes'],
  27: ['Session-Timeout', 'integer'],
  28: ['Idle-Timeout', 'integer'],
  29: ['Termination-Action', 'integer'],
  30: ['Called-Station-Id', 'text'],
  31: ['Calling-Station-Id', 'text'],
  32: ['NAS-Identifier', 'text'],
  33: ['Proxy-State', 'bytes'],
  34: ['Login-LAT-Service', 'text'],
  40: ['Acct-Status-Type', 'integer'],
  41: ['Acct-Delay-Time', 'integer'],
  42: ['Acct-Input-Octets', 'integer'],
  43: ['Acct-Output-Octets', 'integer'],
  44: ['Acct-Session-Id', 'text'],
  45: ['Acct-Authentic', 'integer'],
  46: ['Acct-Session-Time', 'integer'],
  47: ['Acct-Input-Packets', 'integer'],
  48: ['Acct-Output-Packets', 'integer'],
  49: ['Acct-Terminate-Cause', 'integer'],
  50: ['Acct-Multi-Session-Id', 'text'],
  51: ['Acct-Link-Count', 'integer'],
  52: ['Acct-Input-Gigawords', 'integer'],
  53: ['Acct-Output-Gigawords', 'integer'],
  55: ['Event-Timestamp', 'time'],
  60: ['CHAP-Challenge', 'bytes'],
  61: ['NAS-Port-Type', 'integer'],
  62: ['Port-Limit', 'integer'],
  64: ['Tunnel-Type', 'tagged-integer'],
  65: ['Tunnel-Medium-Type', 'tagged-integer'],
  66: ['Tunnel-Client-Endpoint', 'tagged'],
  67: ['Tunnel-Server-Endpoint', 'tagged'],
  68: ['Acct-Tunnel-Connection', 'text'],
  69: ['Tunnel-Password', 'secret'],
  70: ['ARAP-Password', 'secret'],
  75: ['Password-Retry', 'integer'],
  76: ['Prompt', 'integer'],
  77: ['Connect-Info', 'text'],
  79: ['EAP-Message', 'bytes'],
  80: ['Message-Authenticator', 'bytes'],
  81: ['Tunnel-Private-Group-Id', 'tagged'],
  82: ['Tunnel-Assignment-Id', 'tagged'],
  83: ['Tunnel-Preference', 'tagged-integer'],
  85: ['Acct-Interim-Interval', 'integer'],
  87: ['NAS-Port-Id', 'text'],
  88: ['Framed-Pool', 'text'],
  89: ['Chargeable-User-Identity', 'text'],
  90: ['Tunnel-Client-Auth-Id', 'tagged'],
  91: ['Tunnel-Server-Auth-Id', 'tagged'],
  95: ['NAS-IPv6-Address', 'ip6'],
  96: ['Framed-Interface-Id', 'bytes'],
  97: ['Framed-IPv6-Prefix', 'prefix'],
  98: ['Login-IPv6-Host', 'ip6'],
  99: ['Framed-IPv6-Route', 'text'],
  100: ['Framed-IPv6-Pool', 'text'],
  101: ['Error-Cause', 'integer'],
  102: ['EAP-Key-Name', 'bytes'],
  123: ['Delegated-IPv6-Prefix', 'prefix'],
  126: ['Operator-Name', 'text'],
  168: ['Framed-IPv6-Address', 'ip6'],
}

export function attributeName(type: number): string {
  return ATTRIBUTES[type]?.[0] ?? `Attribute-${type}`
}

export function attributeKind(type: number): Kind | undefined {
  return ATTRIBUTES[type]?.[1]
}

/** Values that have names of their own. */
const VALUES: Readonly<Record<number, Readonly<Record<number, string>>>> = {
  6: {
    1: 'Login-User',
    2: 'Framed-User',
    3: 'Callback-Login-User',
    4: 'Callback-Framed-User',
    5: 'Outbound-User',
    6: 'Administrative-User',
    7: 'NAS-Prompt-User',
    8: 'Authenticate-Only',
    10: 'Call-Check',
    17: 'Authorize-Only',
  },
  40: { 1: 'Start', 2: 'Stop', 3: 'Interim-Update', 7: 'Accounting-On', 8: 'Accounting-Off' },
  45: { 1: 'RADIUS', 2: 'Local', 3: 'Remote', 4: 'Diameter' },
  49: {
    1: 'User-Request',
    2: 'Lost-Carrier',
    3: 'Lost-Service',
    4: 'Idle-Timeout',
    5: 'Session-Timeout',
    6: 'Admin-Reset',
    7: 'Admin-Reboot',
    8: 'Port-Error',
    9: 'NAS-Error',
    10: 'NAS-Request',
    11: 'NAS-Reboot',
  },
  61: { 0: 'Async', 5: 'Virtual', 15: 'Ethernet', 18: 'Wireless-Other', 19: 'Wireless-802.11' },
  64: { 1: 'PPTP', 3: 'L2TP', 9: 'ESP', 10: 'GRE', 13: 'VLAN' },
  65: { 1: 'IPv4', 2: 'IPv6', 6: 'IEEE-802' },
  101: {
    201: 'Residual-Session-Context-Removed',
    202: 'Invalid-EAP-Packet',
    401: 'Unsupported-Attribute',
    402: 'Missing-Attribute',
    403: 'NAS-Identification-Mismatch',
    404: 'Invalid-Request',
    405: 'Unsupported-Service',
    406: 'Unsupported-Extension',
    407: 'Invalid-Attribute-Value',
    501: 'Administratively-Prohibited',
    502: 'Request-Not-Routable',
    503: 'Session-Context-Not-Found',
    504: 'Session-Context-Not-Removable',
    505: 'Other-Proxy-Processing-Error',
    506: 'Resources-Unavailable',
    507: 'Request-Initiated',
    508: 'Multiple-Session-Selection-Unsupported',
  },
}

/** An attribute's value as people read it. What does not have the size of its kind is shown as text or base64. */
export function attributeValue(type: number, value: Uint8Array): string | number {
  const kind = attributeKind(type)
  if (kind === 'secret') return '***'
  if (kind === 'integer' && value.length === 4) return named(type, unsigned(value))
  if (kind === 'tagged-integer' && value.length === 4) return named(type, unsigned(value) % 0x1000000)
  if (kind === 'time' && value.length === 4) return new Date(unsigned(value) * 1000).toISOString()
  if (kind === 'ip' && value.length === 4) return value.join('.')
  if (kind === 'ip6' && value.length === 16) return ip6(value)
  if (kind === 'prefix' && value.length >= 2 && value.length <= 18) {
    const address = new Uint8Array(16)
    address.set(value.subarray(2))
    return `${ip6(address)}/${value[1]}`
  }
  if (kind === 'tagged' && value.length > 0 && value[0] < 0x20) return plain(value.subarray(1))
  return kind === 'bytes' ? hex(value) : plain(value)
}

function named(type: number, value: number): string | number {
  return VALUES[type]?.[value] ?? value
}

function unsigned(value: Uint8Array): number {
  return ((value[0] << 24) | (value[1] << 16) | (value[2] << 8) | value[3]) >>> 0
}

/** RFC 5952: the longest run of zeros is left out. */
function ip6(address: Uint8Array): string {
  const groups = Array.from({ length: 8 }, (_, i) => (address[2 * i] << 8) | address[2 * i + 1])
  let best = 0
  let most = 1
  for (let i = 0; i < 8; i++) {
    let run = 0
    while (i + run < 8 && groups[i + run] === 0) run++
    if (run > most) {
      best = i
      most = run
    }
  }
  const text = (part: readonly number[]) => part.map((group) => group.toString(16)).join(':')
  return most === 1 ? text(groups) : `${text(groups.slice(0, best))}::${text(groups.slice(best + most))}`
}

export function hex(value: Uint8Array): string {
  return Buffer.from(value.buffer, value.byteOffset, value.length).toString('hex')
}

function plain(value: Uint8Array): string {
  const text = utf8(value)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what tells bytes from text
  return text === undefined || /[\x00-\x08\x0e-\x1f]/.test(text) ? base64(value) : text
}
