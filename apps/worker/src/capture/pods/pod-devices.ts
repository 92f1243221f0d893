import type { NetworkInterfaceInfo } from 'node:os'

/** Interfaces of a pod that are captured beside its loopback; a pod rarely has more than one. */
const MAX_DEVICES = 4

type Interfaces = NodeJS.Dict<readonly Pick<NetworkInterfaceInfo, 'address' | 'internal'>[]>

/** The interfaces through which a pod reaches others: those with an address beyond their link. Labels of addresses (`eth0:1`) are none. */
export function podDevices(interfaces: Interfaces): string[] {
  return Object.entries(interfaces)
    .filter(([name, all]) => !name.includes(':') && all?.some(isOutward))
    .map(([name]) => name)
    .slice(0, MAX_DEVICES)
}

function isOutward({ address, internal }: Pick<NetworkInterfaceInfo, 'address' | 'internal'>): boolean {
  return !internal && !address.startsWith('fe80:')
}
