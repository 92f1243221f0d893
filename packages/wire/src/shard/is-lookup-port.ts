/**
 * Ports on which names are looked up: DNS, multicast DNS and LLMNR, and where clusters put a DNS server of their own
 * (CoreDNS without the right to 53, Consul).
 */
export function isLookupPort(port: number): boolean {
  switch (port) {
    case 53:
    case 1053:
    case 5353:
    case 5355:
    case 8053:
    case 8600:
      return true
    default:
      return false
  }
}
