/** MQTT 5.0 §2.1.2. */
export const TYPE = {
  CONNECT: 1,
  CONNACK: 2,
  PUBLISH: 3,
  PUBACK: 4,
  PUBREC: 5,
  PUBREL: 6,
  PUBCOMP: 7,
  SUBSCRIBE: 8,
  SUBACK: 9,
  UNSUBSCRIBE: 10,
  UNSUBACK: 11,
  PINGREQ: 12,
  PINGRESP: 13,
  DISCONNECT: 14,
  AUTH: 15,
} as const

const NAMES = ['', ...Object.keys(TYPE)]

export function typeName(type: number): string {
  return NAMES[type] ?? String(type)
}

/** Where only the answer was seen, what it must have answered. */
export function askedBy(type: number): number {
  switch (type) {
    case TYPE.CONNACK:
      return TYPE.CONNECT
    case TYPE.PUBACK:
    case TYPE.PUBREC:
    case TYPE.PUBCOMP:
      return TYPE.PUBLISH
    case TYPE.SUBACK:
    case TYPE.UNSUBACK:
    case TYPE.PINGRESP:
      return type - 1
    default:
      return type
  }
}
