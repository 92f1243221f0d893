/** Tags of the protocol operations: RFC 4511 §4.2 and following. */
export const OP = {
  bindRequest: 0x60,
  bindResponse: 0x61,
  unbindRequest: 0x42,
  searchRequest: 0x63,
  searchResEntry: 0x64,
  searchResDone: 0x65,
  searchResRef: 0x73,
  modifyRequest: 0x66,
  modifyResponse: 0x67,
  addRequest: 0x68,
  addResponse: 0x69,
  delRequest: 0x4a,
  delResponse: 0x6b,
  modDNRequest: 0x6c,
  modDNResponse: 0x6d,
  compareRequest: 0x6e,
  compareResponse: 0x6f,
  abandonRequest: 0x50,
  extendedReq: 0x77,
  extendedResp: 0x78,
  intermediateResponse: 0x79,
} as const

const names = new Map<number, string>(Object.entries(OP).map(([name, tag]) => [tag, name]))
const requests = new Set<number>([
  OP.bindRequest,
  OP.unbindRequest,
  OP.searchRequest,
  OP.modifyRequest,
  OP.addRequest,
  OP.delRequest,
  OP.modDNRequest,
  OP.compareRequest,
  OP.abandonRequest,
  OP.extendedReq,
])

/** The operation's name in RFC 4511 §4.1.1. */
export function operationName(tag: number): string | undefined {
  return names.get(tag)
}

export function isRequest(tag: number): boolean {
  return requests.has(tag)
}

/** What was asked, where only the answer is there. */
const ASKED: Readonly<Record<number, string>> = {
  [OP.bindResponse]: 'bindRequest',
  [OP.searchResEntry]: 'searchRequest',
  [OP.searchResDone]: 'searchRequest',
  [OP.searchResRef]: 'searchRequest',
  [OP.modifyResponse]: 'modifyRequest',
  [OP.addResponse]: 'addRequest',
  [OP.delResponse]: 'delRequest',
  [OP.modDNResponse]: 'modDNRequest',
  [OP.compareResponse]: 'compareRequest',
  [OP.extendedResp]: 'extendedReq',
}

export function requestNameOf(tag: number): string | undefined {
  return ASKED[tag]
}

export const START_TLS = '1.3.6.1.4.1.1466.20037'
export const PASSWORD_MODIFY = '1.3.6.1.4.1.4203.1.11.1'
