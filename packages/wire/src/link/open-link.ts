import { ETHER, UNKNOWN } from '../ether-type.ts'
import type { Packet } from '../packet.ts'
import { openEthernet } from './ethernet.ts'
import { openCooked, openCooked2 } from './linux-cooked.ts'
import { openLoopback } from './loopback.ts'
import { openNflog } from './nflog.ts'
import { openRawIp } from './raw-ip.ts'

/** Opens the link layer of a LINKTYPE_* and returns the EtherType of what it carries. */
export function openLink(packet: Packet, link: number): number {
  switch (link) {
    case 1:
      return openEthernet(packet)
    case 113:
      return openCooked(packet)
    case 276:
      return openCooked2(packet)
    case 0:
    case 108:
      return openLoopback(packet)
    // DLT_RAW has three numbers, by platform.
    case 101:
    case 12:
    case 14:
      return openRawIp(packet)
    case 239:
      return openNflog(packet)
    case 228:
      return ETHER.ipv4
    case 229:
      return ETHER.ipv6
    default:
      return UNKNOWN
  }
}
