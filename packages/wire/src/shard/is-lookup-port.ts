/**
 * Ports of DNS, multicast DNS and LLMNR, and of DNS servers in clusters (CoreDNS without the privilege for 53, Consul).
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
