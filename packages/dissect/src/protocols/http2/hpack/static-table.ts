import { lineText } from './line-text.ts'

/** RFC 7541 Appendix A. */
const ENTRIES: readonly (readonly [name: string, value: string])[] = [
  [':authority', ''],
  [':method', 'GET'],
  [':method', 'POST'],
  [':path', '/'],
  [':path', '/index.html'],
  [':scheme', 'http'],
  [':scheme', 'https'],
  [':status', '200'],
  [':status', '204'],
  [':status', '206'],
  [':status', '304'],
  [':status', '400'],
  [':status', '404'],
  [':status', '500'],
  ['accept-charset', ''],
  ['accept-encoding', 'gzip, deflate'],
  ['accept-language', ''],
  ['accept-ranges', ''],
  ['accept', ''],
  ['access-control-allow-origin', ''],
  ['age', ''],
  ['allow', ''],
  ['authorization', ''],
  ['cache-control', ''],
  ['content-disposition', ''],
  ['content-encoding', ''],
  ['content-language', ''],
  ['content-length', ''],
  ['content-location', ''],
  ['content-range', ''],
  ['content-type', ''],
  ['cookie', ''],
  ['date', ''],
  ['etag', ''],
  ['expect', ''],
  ['expires', ''],
  ['from', ''],
  ['host', ''],
  ['if-match', ''],
  ['if-modified-since', ''],
  ['if-none-match', ''],
  ['if-range', ''],
  ['if-unmodified-since', ''],
  ['last-modified', ''],
  ['link', ''],
  ['location', ''],
  ['max-forwards', ''],
  ['proxy-authenticate', ''],
  ['proxy-authorization', ''],
  ['range', ''],
  ['referer', ''],
  ['refresh', ''],
  ['retry-after', ''],
  ['server', ''],
  ['set-cookie', ''],
  ['strict-transport-security', ''],
  ['transfer-encoding', ''],
  ['user-agent', ''],
  ['vary', ''],
  ['via', ''],
  ['www-authenticate', ''],
]

export const STATIC_ENTRIES = ENTRIES.length

/** Each as a line of a head, `name: value` with its line break, one after the other. */
export const staticText = lineText(ENTRIES.map(([name, value]) => `${name}: ${value}\r\n`).join(''))

/** Of each, where its line begins, and the lengths of its name and value; index 0 is none. */
export const staticStarts = new Int32Array(STATIC_ENTRIES + 1)
export const staticNameLengths = Int32Array.from([0, ...ENTRIES.map(([name]) => name.length)])
export const staticValueLengths = Int32Array.from([0, ...ENTRIES.map(([, value]) => value.length)])
for (let i = 2; i <= STATIC_ENTRIES; i++)
  staticStarts[i] = staticStarts[i - 1] + staticNameLengths[i - 1] + staticValueLengths[i - 1] + 4
