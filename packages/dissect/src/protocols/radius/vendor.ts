import { latin1 } from '../../text/text.ts'
import { hex } from './attribute.ts'

export const VENDOR_SPECIFIC = 26
const MICROSOFT = 311
const VENDORS: Readonly<Record<number, string>> = {
  9: 'Cisco',
  311: 'Microsoft',
  529: 'Ascend',
  2636: 'Juniper',
  3076: 'Altiga',
  6527: 'Nokia',
  10415: '3GPP',
  12356: 'Fortinet',
  14122: 'WISPr',
  14823: 'Aruba',
  14988: 'Mikrotik',
  25053: 'Ruckus',
}
const CISCO_AVPAIR = 1
/** Challenges, responses, changes of password and keys of MS-CHAP and MPPE: RFC 2548. */
const SECRET = new Set([1, 3, 4, 5, 6, 12, 16, 17, 25, 26, 27])

/** A vendor's attributes as `name: value`: RFC 2865 §5.26. */
export function readVendor(value: Uint8Array): [name: string, value: string][] {
  if (value.length < 4) return [['Vendor-Specific', hex(value)]]
  const vendor = vendorOf(value)
  const name = VENDORS[vendor] ?? `Vendor-${vendor}`
  const read: [string, string][] = []
  for (const [type, from, to] of inside(value)) {
    const content = value.subarray(from, to)
    const hidden = vendor === MICROSOFT && SECRET.has(type)
    const title = vendor === 9 && type === CISCO_AVPAIR ? 'Cisco-AVPair' : `${name}-${type}`
    read.push([title, hidden ? '***' : shown(content)])
  }
  return read.length === 0 ? [[name, hex(value.subarray(4))]] : read
}

/** Overwrites secrets; `value` is a private copy. */
export function hideVendorSecrets(value: Uint8Array): void {
  if (value.length < 4 || vendorOf(value) !== MICROSOFT) return
  for (const [type, from, to] of inside(value)) if (SECRET.has(type)) value.fill(0, from, to)
}

function vendorOf(value: Uint8Array): number {
  return ((value[0] << 24) | (value[1] << 16) | (value[2] << 8) | value[3]) >>> 0
}

/** Type and place of each; none where the vendor has a form of its own. */
function inside(value: Uint8Array): [type: number, from: number, to: number][] {
  const found: [number, number, number][] = []
  let at = 4
  while (at + 2 <= value.length && value[at + 1] >= 2 && at + value[at + 1] <= value.length) {
    found.push([value[at], at + 2, at + value[at + 1]])
    at += value[at + 1]
  }
  return at === value.length ? found : []
}

function shown(content: Uint8Array): string {
  for (const byte of content) if (byte < 0x20 || byte > 0x7e) return hex(content)
  return latin1(content)
}
