/** IANA "Domain Name System (DNS) Parameters". */

const TYPES: Readonly<Record<number, string>> = {
  1: 'A',
  2: 'NS',
  3: 'MD',
  4: 'MF',
  5: 'CNAME',
  6: 'SOA',
  7: 'MB',
  8: 'MG',
  9: 'MR',
  10: 'NULL',
  11: 'WKS',
  12: 'PTR',
  13: 'HINFO',
  14: 'MINFO',
  15: 'MX',
  16: 'TXT',
  17: 'RP',
  18: 'AFSDB',
  24: 'SIG',
  25: 'KEY',
  28: 'AAAA',
  29: 'LOC',
  33: 'SRV',
  35: 'NAPTR',
  36: 'KX',
  37: 'CERT',
  39: 'DNAME',
  41: 'OPT',
  42: 'APL',
  43: 'DS',
  44: 'SSHFP',
  45: 'IPSECKEY',
  46: 'RRSIG',
  47: 'NSEC',
  48: 'DNSKEY',
  49: 'DHCID',
  50: 'NSEC3',
  51: 'NSEC3PARAM',
  52: 'TLSA',
  53: 'SMIMEA',
  55: 'HIP',
  59: 'CDS',
  60: 'CDNSKEY',
  61: 'OPENPGPKEY',
  62: 'CSYNC',
  63: 'ZONEMD',
  64: 'SVCB',
  65: 'HTTPS',
  99: 'SPF',
  108: 'EUI48',
  109: 'EUI64',
  249: 'TKEY',
  250: 'TSIG',
  251: 'IXFR',
  252: 'AXFR',
  253: 'MAILB',
  254: 'MAILA',
  255: 'ANY',
  256: 'URI',
  257: 'CAA',
  261: 'RESINFO',
  32768: 'TA',
  32769: 'DLV',
}

const CLASSES: Readonly<Record<number, string>> = { 1: 'IN', 3: 'CH', 4: 'HS', 254: 'NONE', 255: 'ANY' }

const OPCODES: readonly string[] = ['QUERY', 'IQUERY', 'STATUS', 'OPCODE3', 'NOTIFY', 'UPDATE', 'DSO']

const RCODES: Readonly<Record<number, string>> = {
  0: 'NOERROR',
  1: 'FORMERR',
  2: 'SERVFAIL',
  3: 'NXDOMAIN',
  4: 'NOTIMP',
  5: 'REFUSED',
  6: 'YXDOMAIN',
  7: 'YXRRSET',
  8: 'NXRRSET',
  9: 'NOTAUTH',
  10: 'NOTZONE',
  11: 'DSOTYPENI',
  16: 'BADVERS',
  17: 'BADKEY',
  18: 'BADTIME',
  19: 'BADMODE',
  20: 'BADNAME',
  21: 'BADALG',
  22: 'BADTRUNC',
  23: 'BADCOOKIE',
}

export const TYPE = { A: 1, NS: 2, CNAME: 5, SOA: 6, AAAA: 28, OPT: 41, IXFR: 251, AXFR: 252 } as const

/** A list without holes is looked up faster than one of numbers far apart. */
const COMMON_TYPES = Array.from({ length: 258 }, (_, type) => TYPES[type] ?? `TYPE${type}`)

export function typeName(type: number): string {
  return type < COMMON_TYPES.length ? COMMON_TYPES[type] : (TYPES[type] ?? `TYPE${type}`)
}

export function className(code: number): string {
  return CLASSES[code] ?? `CLASS${code}`
}

export function opcodeName(code: number): string {
  return OPCODES[code] ?? `OPCODE${code}`
}

export function rcodeName(code: number): string {
  return RCODES[code] ?? `RCODE${code}`
}
