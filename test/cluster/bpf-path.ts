import { openSync } from 'node:fs'
import { SystemCallError } from '../../apps/worker/src/capture/system-call-error.ts'
import { loadSystemCalls } from '../../apps/worker/src/capture/system-calls.ts'
import { Bpf } from '../../apps/worker/src/os/bpf.ts'
import { BpfCode } from '../../apps/worker/src/os/bpf-code.ts'

/** What this process does in the network of a node until its input ends. */
export interface BpfPath {
  /** Pods of this node: address, and index of their device on the node. */
  readonly local: readonly { readonly address: string; readonly device: number }[]
  /** Addresses of pods of other nodes, which are reached by `uplink`. */
  readonly remote: readonly string[]
  readonly uplink: number
  /** Processes of this control group that connect to a Service are connected to one of its pods. */
  readonly service?: {
    readonly group: string
    readonly from: { readonly address: string; readonly port: number }
    readonly to: { readonly address: string; readonly port: number }
  }
}

/** linux/bpf.h */
const LINK_CREATE = 28
const CLASSIFIER = { type: 3, attach: 46 }
const CONNECT4 = { type: 18, attach: 10 }
const HELPER = { loadBytes: 26, changeType: 32, redirectNeighbour: 152, redirectPeer: 155 }
const NEXT = -1
const ALLOW = 1
/** Of the destination, behind an Ethernet header. */
const DESTINATION_AT = 30
const IPV4 = 0x0008

const system = await loadSystemCalls()
const bpf = new Bpf(system)
const { local, remote, uplink, service } = JSON.parse(process.argv[2] ?? '') as BpfPath

const program = classifier()
for (const device of [uplink, ...local.map((pod) => pod.device)]) attach(program, device, CLASSIFIER.attach)
if (service) {
  const { group, from, to } = service
  attach(bpf.load(CONNECT4.type, translate(from, to), CONNECT4.attach), openSync(group, 'r'), CONNECT4.attach)
}
console.log('ready')
// It is in the process ids of the node: a kill of the command that entered the node does not reach it.
process.stdin.on('end', () => process.exit()).resume()

/** Packets to pods of this node go into the network of the pod, others to the next node; the bridge sees none of them. */
function classifier(): number {
  const code = new BpfCode().move(6, 1).load(4, 2, 6, 16).ifNot(2, IPV4, 'next')
  code.set(2, DESTINATION_AT).move(3, 10).add(3, -8).set(4, 4).call(HELPER.loadBytes).ifNot(0, 0, 'next')
  code.load(4, 7, 10, -8)
  for (const { address, device } of local) {
    code.setLong(8, numberOf(address)).ifDifferent(7, 8, address)
    // Pods of one node address each other by the addresses of their own devices, which the node takes for another machine.
    code.move(1, 6).set(2, 0).call(HELPER.changeType)
    code.set(1, device).set(2, 0).call(HELPER.redirectPeer).return().label(address)
  }
  for (const address of remote) {
    code.setLong(8, numberOf(address)).ifDifferent(7, 8, address)
    code.set(1, uplink).set(2, 0).set(3, 0).set(4, 0).call(HELPER.redirectNeighbour).return().label(address)
  }
  return bpf.load(CLASSIFIER.type, code.label('next').set(0, NEXT).return().bytes())
}

type Endpoint = NonNullable<BpfPath['service']>['to']

function translate(from: Endpoint, to: Endpoint): Uint8Array {
  const code = new BpfCode().load(4, 2, 1, 4).load(4, 3, 1, 24)
  code.setLong(4, numberOf(from.address)).ifDifferent(2, 4, 'allow').ifNot(3, swapped(from.port), 'allow')
  code.setLong(2, numberOf(to.address)).store(4, 1, 4, 2).set(2, swapped(to.port)).store(4, 1, 24, 2)
  return code.label('allow').set(0, ALLOW).return().bytes()
}

function attach(loaded: number, target: number, type: number): void {
  const attributes = new Uint8Array(64)
  const view = new DataView(attributes.buffer)
  for (const [at, value] of [loaded, target, type].entries()) view.setUint32(at * 4, value, true)
  if (system.bpf(LINK_CREATE, attributes, attributes.length) < 0)
    throw new SystemCallError(`bpf(BPF_LINK_CREATE ${target})`, system.errno())
}

/** As the processor reads the four bytes of an address. */
function numberOf(address: string): bigint {
  return BigInt(new DataView(Uint8Array.from(address.split('.').map(Number)).buffer).getUint32(0, true))
}

function swapped(port: number): number {
  return ((port & 0xff) << 8) | (port >> 8)
}
