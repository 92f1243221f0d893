import { closeSync, openSync } from 'node:fs'
import { loadSystemCalls } from '../../apps/worker/src/capture/system-calls.ts'
import { ElfFile } from '../../apps/worker/src/keys/elf-file.ts'
import { Bpf, MAP } from '../../apps/worker/src/os/bpf.ts'
import { BpfCode } from '../../apps/worker/src/os/bpf-code.ts'
import { call } from '../../apps/worker/src/os/bpf-fragments.ts'
import { RecordRing } from '../../apps/worker/src/os/record-ring.ts'

/** Bytes of each read or write that are copied, as the known systems do it. */
const MAX_COPY = 4096
const RING_BYTES = 16 << 20
const MAX_CALLS = 16_384
const [RESERVE, SUBMIT, NO_WAKEUP] = [131, 132, 1]
const FRAME = 10
const [KEY, VALUE] = [-8, -16]
const MAX_INT = 0x7fff_ffff
/** Offsets in `struct pt_regs` of the second and third argument and of the result. */
const REGISTERS =
  process.arch === 'arm64' ? { buffer: 8, length: 16, result: 0 } : { buffer: 104, length: 96, result: 80 }

/**
 * The other way to look inside TLS, for comparison only: it copies the plaintext of each `SSL_read` and `SSL_write` of a file. Tapdeck
 * does not do this.
 */
export class PlaintextProbes {
  readonly #ring: RecordRing
  readonly #maps: { readonly records: number; readonly calls: number }
  copied = 0

  private constructor(bpf: Bpf, system: Awaited<ReturnType<typeof loadSystemCalls>>) {
    this.#maps = {
      records: bpf.createMap(MAP.ringBuffer, 0, 0, RING_BYTES),
      calls: bpf.createMap(MAP.lruHash, 8, 8, MAX_CALLS),
    }
    this.#ring = new RecordRing(system, this.#maps.records, RING_BYTES)
  }

  static async attach(path: string): Promise<PlaintextProbes> {
    const system = await loadSystemCalls()
    const bpf = new Bpf(system)
    const probes = new PlaintextProbes(bpf, system)
    const file = openSync(path, 'r')
    const elf = new ElfFile(file)
    const functions = elf.functions(['SSL_read', 'SSL_write'])
    const at = (name: string) => {
      const symbol = functions.get(name)
      const offset = symbol && elf.fileOffset(symbol.address)
      if (offset === undefined) throw new Error(`${path} has no ${name}`)
      return offset
    }
    const attach = (program: Uint8Array, offset: number, isReturn: boolean) =>
      bpf.attachProbe(bpf.loadProbe(program), { path, offset, isReturn })
    attach(probes.#writeProgram(), at('SSL_write'), false)
    attach(probes.#enterReadProgram(), at('SSL_read'), false)
    attach(probes.#returnReadProgram(), at('SSL_read'), true)
    closeSync(file)
    return probes
  }

  read(): void {
    this.#ring.read((_data, _at, length) => {
      this.copied += length
    })
  }

  #writeProgram(): Uint8Array {
    const code = new BpfCode().move(6, 1)
    code.load(8, 7, 6, REGISTERS.buffer).load(4, 9, 6, REGISTERS.length)
    return this.#copy(code)
  }

  #enterReadProgram(): Uint8Array {
    const code = new BpfCode().move(6, 1).call(call.pid).store(8, FRAME, KEY, 0)
    code.load(8, 1, 6, REGISTERS.buffer).store(8, FRAME, VALUE, 1)
    code.setMap(1, this.#maps.calls).move(2, FRAME).add(2, KEY).move(3, FRAME).add(3, VALUE).set(4, 0)
    return code.call(call.update).exit().bytes()
  }

  #returnReadProgram(): Uint8Array {
    const code = new BpfCode().move(6, 1).call(call.pid).store(8, FRAME, KEY, 0)
    code.setMap(1, this.#maps.calls).move(2, FRAME).add(2, KEY).call(call.lookup).ifEqual(0, 0, 'end')
    code.load(8, 7, 0, 0).load(4, 9, 6, REGISTERS.result)
    return this.#copy(code)
  }

  /** Register 7 has the address, register 9 the length. */
  #copy(code: BpfCode): Uint8Array {
    code.ifEqual(9, 0, 'end').ifAbove(9, MAX_INT, 'end')
    code
      .setMap(1, this.#maps.records)
      .set(2, MAX_COPY + 16)
      .set(3, 0)
      .call(RESERVE)
      .ifEqual(0, 0, 'end')
    code.move(8, 0).call(call.monotonicTime).store(8, 8, 0, 0).call(call.pid).store(8, 8, 8, 0)
    code.ifAbove(9, MAX_COPY, 'long')
    code.move(1, 8).add(1, 16).move(2, 9).move(3, 7).call(call.readUser)
    code.move(1, 8).set(2, NO_WAKEUP).call(SUBMIT).exit()
    code.label('long').move(1, 8).add(1, 16).set(2, MAX_COPY).move(3, 7).call(call.readUser)
    code.move(1, 8).set(2, NO_WAKEUP).call(SUBMIT)
    return code.label('end').exit().bytes()
  }
}
