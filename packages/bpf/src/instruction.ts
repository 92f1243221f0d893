/** Instruction codes of classic BPF (linux/bpf_common.h). Where one takes a number or the index register, both. */
export const OP = {
  loadWord: 0x20,
  loadHalf: 0x28,
  loadByte: 0x30,
  loadWordIndexed: 0x40,
  loadHalfIndexed: 0x48,
  loadByteIndexed: 0x50,
  loadLength: 0x80,
  loadNumber: 0x00,
  loadCell: 0x60,
  loadIndexCell: 0x61,
  loadHeaderLength: 0xb1,
  storeCell: 0x02,
  toIndex: 0x07,
  jump: 0x05,
  ifEqual: 0x15,
  ifGreater: 0x25,
  ifGreaterEqual: 0x35,
  ifAnyBit: 0x45,
  return: 0x06,
  /** Reckoning: with a number; plus `BY_INDEX` with the index register. */
  add: 0x04,
  subtract: 0x14,
  multiply: 0x24,
  divide: 0x34,
  or: 0x44,
  and: 0x54,
  shiftLeft: 0x64,
  shiftRight: 0x74,
  modulo: 0x94,
  exclusiveOr: 0xa4,
} as const

/** Set in a code: the operand is the index register, not a number. */
export const BY_INDEX = 0x08
