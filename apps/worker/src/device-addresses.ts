import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os'

/** A node can have hundreds of devices, and its report is sent every second. */
const CACHED_MS = 10_000
/** As many as a report may have. */
const MAX_ADDRESSES = 256
/** The device of kube-proxy in IPVS mode: it has the addresses of all Services. */
const SERVICES = 'kube-ipvs0'
const LINK_LOCAL = /^(?:169\.254\.|fe[89ab]\w:)/

/** Addresses by which others know this machine: no loopback, no addresses that count on one link alone. */
export function deviceAddresses(devices: NodeJS.Dict<readonly NetworkInterfaceInfo[]>): string[] {
  const found = Object.entries(devices).flatMap(([name, addresses = []]) =>
    name === SERVICES
      ? []
      : addresses.filter(({ internal, address }) => !internal && !LINK_LOCAL.test(address)),
  )
  return [...new Set(found.map(({ address }) => address))].sort().slice(0, MAX_ADDRESSES)
}

/** The same for this machine, cached. */
export class DeviceAddresses {
  #addresses: readonly string[] = []
  #until = Number.NEGATIVE_INFINITY

  read(): readonly string[] {
    const now = performance.now()
    if (now >= this.#until) {
      this.#addresses = deviceAddresses(networkInterfaces())
      this.#until = now + CACHED_MS
    }
    return this.#addresses
  }
}
