/** Block types of pcapng (draft-ietf-opsawg-pcapng). */
export const BLOCK = {
  section: 0x0a0d0d0a,
  interface: 1,
  packet: 2,
  simplePacket: 3,
  names: 4,
  statistics: 5,
  enhancedPacket: 6,
  journal: 9,
  secrets: 10,
  custom: 0x0bad,
  customNoCopy: 0x40000bad,
} as const

/** At the start of a section; how it reads shows the byte order. */
export const BYTE_ORDER_MAGIC = 0x1a2b3c4d

/** Option codes; those from 2 up mean something else in each block type. */
export const OPTION = {
  comment: 1,
  userApplication: 4,
  interfaceName: 2,
  timeResolution: 9,
  timeOffset: 14,
  interfaceReceived: 4,
  interfaceDrops: 5,
  systemDrops: 7,
} as const

/** The type of a secrets block that holds a TLS key log in NSS format. */
export const TLS_KEY_LOG = 0x544c534b
