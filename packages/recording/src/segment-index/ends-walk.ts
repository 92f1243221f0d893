import code from './ends-walk.wasm.ts'

const STATE_BYTES = 64
const MAX_INTERFACES = 512
/** Byte offsets from the state, which ends-walk.wat uses, too. */
export const ENDS_WALK_STATE = {
  AT: 0,
  PACKETS: 12,
  FIRST: 16,
  LAST: 24,
  /** For each interface, whether it has Ethernet headers. */
  ETHERNET: STATE_BYTES,
  PLACES: STATE_BYTES + MAX_INTERFACES,
} as const
const PLACE_BYTES = 16
const PLACES = 4096
const LINKTYPE_ETHERNET = 1

type Walk = (state: number, at: number, end: number, region: number, first: number, last: number) => void

const compiled = new WebAssembly.Module(Buffer.from(code, 'base64'))

/**
 * Walks packet blocks of a memory that WebAssembly can reach, and knows whose packets were met in the present region, for the most
 * frequent kinds: TCP and UDP over IPv4 over Ethernet. Of any other kind, and of ends that another pushed out, it knows nothing.
 * It never passes a packet with other addresses or ports than one before it. Its source is ends-walk.wat.
 */
export class EndsWalk {
  /** Of the memory, for what it is given, leaves and remembers. */
  static readonly bytes = ENDS_WALK_STATE.PLACES + PLACES * PLACE_BYTES
  readonly buffer: ArrayBuffer
  readonly #walk: Walk
  readonly #state: number
  readonly #words: Int32Array
  readonly #times: Float64Array
  readonly #ethernet: Uint8Array
  #regions = 0

  /** What it remembers is at `state`, a multiple of 8. */
  constructor(memory: WebAssembly.Memory, state: number) {
    const { exports } = new WebAssembly.Instance(compiled, { memory: { memory } })
    this.buffer = memory.buffer
    this.#walk = exports.walk as Walk
    this.#state = state
    this.#words = new Int32Array(this.buffer, state, STATE_BYTES >> 2)
    this.#times = new Float64Array(this.buffer, state, STATE_BYTES >> 3)
    this.#ethernet = new Uint8Array(this.buffer, state + ENDS_WALK_STATE.ETHERNET, MAX_INTERFACES)
  }

  /** The link types of interfaces. */
  begin(links: readonly number[]): void {
    for (let i = 0; i < MAX_INTERFACES; i++) this.#ethernet[i] = links[i] === LINKTYPE_ETHERNET ? 1 : 0
  }

  /** A number for a region that no other has, of whichever segment. */
  beginRegion(): number {
    return ++this.#regions
  }

  /**
   * From `at` of the memory on, until one whose ends are new to the region, which is counted, or what is no packet, or `end`.
   * `packets`, `first`, `last`: of the region so far; first and last in microseconds.
   */
  run(at: number, end: number, region: number, packets: number, first: number, last: number): void {
    this.#words[ENDS_WALK_STATE.PACKETS >> 2] = packets
    this.#walk(this.#state, at, end, region, first, last)
  }

  /** Where it stopped. */
  get at(): number {
    return this.#words[ENDS_WALK_STATE.AT >> 2]!
  }

  get packets(): number {
    return this.#words[ENDS_WALK_STATE.PACKETS >> 2]!
  }

  get first(): number {
    return this.#times[ENDS_WALK_STATE.FIRST >> 3]!
  }

  get last(): number {
    return this.#times[ENDS_WALK_STATE.LAST >> 3]!
  }
}
