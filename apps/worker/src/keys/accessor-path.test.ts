import { describe, expect, it } from 'vitest'
import { copiedField, pointedField, returnedPointer } from './accessor-path.ts'

/** Instructions of arm64, as a disassembler prints them. */
function arm64(...words: readonly number[]): Buffer {
  const code = Buffer.alloc(words.length * 4)
  for (const [at, word] of words.entries()) code.writeUInt32LE(word, at * 4)
  return code
}

const PROLOGUE = [0xa9be7bfd, 0x910003fd, 0xf9000bf3, 0xd2800413]
const CBZ_X2 = 0xb4000122
const MOV_X3_X0 = 0xaa0003e3
const MOV_X0_X1 = 0xaa0103e0
const CALL = 0x97c72bd4

describe('copiedField', () => {
  it('reads the offset of a field in the object (arm64, OpenSSL 3)', () => {
    // add x1, x3, #0x160
    const code = arm64(...PROLOGUE, CBZ_X2, MOV_X3_X0, 0xf100805f, 0x9a939053, MOV_X0_X1, 0x91058061, CALL)
    expect(copiedField(code, 'arm64')).toEqual([0x160])
  })

  it('reads a pointer and the offset behind it (arm64, OpenSSL 1.1)', () => {
    // ldr x3, [x0, #168]; mov x0, x1; add x1, x3, #184
    const code = arm64(...PROLOGUE, CBZ_X2, 0xf9405403, MOV_X0_X1, 0x9102e061, CALL)
    expect(copiedField(code, 'arm64')).toEqual([168, 184])
  })

  it('follows both ways of a branch (arm64, OpenSSL 3.5, where the object may be one of QUIC)', () => {
    const code = arm64(
      ...[0xa9bd7bfd, 0x910003fd, 0xf90013f5, 0xb40003c0, 0xa90153f3, 0xaa0103f4, 0xb9400001, 0xaa0203f3],
      ...[0xaa0003e3, 0x340000a1, 0x363802c1, 0x9400d4a6, 0xaa0003e3, 0xb4000260, 0xd2800415, 0xb4000193],
      // add x1, x3, #0x188
      ...[0xeb15027f, 0x91062061, 0x9a959275, 0xaa1403e0, 0xaa1503e2, 0x97b1400f, 0xd65f03c0],
    )
    expect(copiedField(code, 'arm64')).toEqual([0x188])
  })

  it('ends for code that jumps to itself', () => {
    expect(copiedField(arm64(0x14000000), 'arm64')).toBeUndefined()
    expect(copiedField(arm64(0xb4000000, 0x17ffffff), 'arm64')).toBeUndefined()
  })

  it('gives up where a register is overwritten by something else, or nothing is copied (arm64)', () => {
    // ldr w3, [x3]: the value is no address of the object any more.
    expect(copiedField(arm64(MOV_X3_X0, 0xb9400063, 0x91058061, CALL), 'arm64')).toBeUndefined()
    expect(copiedField(arm64(MOV_X3_X0, 0x91058061), 'arm64')).toBeUndefined()
    expect(copiedField(Buffer.alloc(3), 'arm64')).toBeUndefined()
  })

  it('reads the offset of a field in the object (x64, OpenSSL 3, the copy is inlined)', () => {
    const code =
      '4889f1b8200000004885d2745a4839c2488db760010000480f46c289c283f808725e488b97600100004c8d41084983e0f848891189c2488b7c16f848897c11f8'
    expect(copiedField(Buffer.from(code, 'hex'), 'x64')).toEqual([0x160])
  })

  it('reads a small offset, from a register that the object was moved to (x64, OpenSSL 3)', () => {
    // mov rax, rdi; mov rbx, [rdi+8]; …; mov rdi, rsi; lea rsi, [rax+0x50]; …; call memcpy
    const code =
      '534889f8488b5f084885d274164839d34889f7488d7050480f47da4889dae8cd7bfeff4889d85b31d231f631ffc3'
    expect(copiedField(Buffer.from(code, 'hex'), 'x64')).toEqual([0x50])
  })

  it('keeps the object where one way of a branch overwrites its register (x64, OpenSSL 3.5)', () => {
    // test rdi, rdi; call; mov rdi, rax; …; lea rsi, [rdi+0x188]
    const code =
      '4885ff8b0785c07415a880e887b003004889c74885c0746fb8200000004885db745f4839c3488db788010000480f46c3'
    expect(copiedField(Buffer.from(code, 'hex'), 'x64')).toEqual([0x188])
  })

  it('reads a pointer and the offset behind it (x64, OpenSSL 1.1)', () => {
    // mov rax, [rdi+168]; lea rsi, [rax+184]
    expect(copiedField(Buffer.from('488b87a8000000488db0b8000000', 'hex'), 'x64')).toEqual([168, 184])
  })

  it('gives up where two fields are possible, or none (x64)', () => {
    expect(copiedField(Buffer.from('488db760010000488db740010000', 'hex'), 'x64')).toBeUndefined()
    expect(copiedField(Buffer.from('4889f1b820000000c3', 'hex'), 'x64')).toBeUndefined()
  })
})

describe('returnedPointer', () => {
  it('reads the offset of a pointer', () => {
    // ldr x0, [x0, #2328]; ret
    expect(returnedPointer(arm64(0xf9448c00, 0xd65f03c0), 'arm64')).toEqual([2328])
    // endbr64; mov rax, [rdi+2328]; ret
    expect(returnedPointer(Buffer.from('f30f1efa488b8718090000c3', 'hex'), 'x64')).toEqual([2328])
  })

  it('gives up where something else is returned', () => {
    expect(returnedPointer(arm64(0xd2800000, 0xd65f03c0), 'arm64')).toBeUndefined()
    expect(returnedPointer(Buffer.from('31c0c3', 'hex'), 'x64')).toBeUndefined()
  })
})

describe('pointedField', () => {
  it('reads the offset of the field whose address is stored first', () => {
    // cbz x1; add x4, x0, #80; mov w3, #32; str x4, [x1]; str w3, [x1, #8]; cbz x2; add x0, x0, #112; …; str x0, [x2]; ret
    const code = arm64(
      ...[0xb40000a1, 0x91014004, 0x52800403, 0xf9000024, 0xb9000823, 0xb40000a2, 0x9101c000, 0x52800401],
      ...[0xf9000040, 0xb9000841, 0xd65f03c0],
    )
    expect(pointedField(code, 'arm64')).toEqual([80])
    // test rsi, rsi; je; lea rax, [rdi+80]; mov dword [rsi+8], 32; mov [rsi], rax; …
    const random = '4885f6740e488d4750c7460820000000488906488d4770c3'
    expect(pointedField(Buffer.from(random, 'hex'), 'x64')).toEqual([80])
    // add rdi, 32; mov dword [rsi+8], 48; mov [rsi], rdi; ret
    expect(pointedField(Buffer.from('4883c720c746083000000048893ec3', 'hex'), 'x64')).toEqual([32])
  })

  it('gives up where something else is stored', () => {
    expect(pointedField(arm64(0xd2800004, 0xf9000024, 0xd65f03c0), 'arm64')).toBeUndefined()
    expect(pointedField(Buffer.from('31c0488906c3', 'hex'), 'x64')).toBeUndefined()
  })
})
